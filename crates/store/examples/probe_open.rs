//! temp
use orrery_store::*;
use std::time::{Duration, Instant};
struct P(u64);
impl Transaction for P {
    fn run(&mut self, v: &mut dyn View) -> Result<Verdict, Error> {
        for i in 0..64u64 {
            let n = self.0 * 64 + i;
            let h = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut s = h | 1;
            let doc: Vec<u8> = (0..1024)
                .map(|a| {
                    s = s.wrapping_mul(6364136223846793005).wrapping_add(1);
                    if a % 2 == 0 { b'"' } else { (s >> 40) as u8 }
                })
                .collect();
            v.put(Space::Items, [&[0, 0, 0, 1][..], &h.to_be_bytes()].concat(), doc.into());
        }
        Ok(Verdict::Commit)
    }
}
fn threads() -> Vec<(String, f64)> {
    let mut out = vec![];
    for t in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let Ok(s) = std::fs::read_to_string(t.path().join("stat")) else { continue };
        let name = s[s.find('(').unwrap() + 1..s.rfind(')').unwrap()].to_string();
        let f: Vec<&str> = s[s.rfind(')').unwrap() + 2..].split(' ').collect();
        out.push((name, (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0));
    }
    out
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let dir = std::env::args().nth(2).unwrap_or("/dev/shm".into());
    let d = tempfile::tempdir_in(dir).unwrap();
    let s = FjallStore::open(
        d.path(),
        FjallOptions { durability: Durability::Buffered, background_threads: n, ..Default::default() },
    )
    .unwrap();
    let rt = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let t = Instant::now();
    rt.block_on(async {
        let mut max = Duration::ZERO;
        for i in 0..10_000u64 {
            let t = Instant::now();
            transact(&s, P(i)).await.unwrap();
            max = max.max(t.elapsed());
        }
        println!("longest commit {max:?}");
    });
    println!(
        "{n} threads: 640k items in {:?} {}",
        t.elapsed(),
        std::fs::read_to_string("/proc/self/status")
            .unwrap()
            .lines()
            .filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS"))
            .collect::<String>()
    );
    println!("{:?}", threads());
    std::thread::sleep(Duration::from_secs(3));
    println!("after 3 s idle {:?}  disk {} MiB", threads(), s.stats().size_bytes >> 20);
}
