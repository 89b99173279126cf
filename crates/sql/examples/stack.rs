//! tmp
use orrery_sql::*;
fn main(){
 let a:Vec<String>=std::env::args().collect(); let which:usize=a[1].parse().unwrap(); let kb:usize=a[2].parse().unwrap(); let phase=a[3].clone();
 let fs:&[fn(usize)->String]=&[
    |n| format!("SELECT VALUE {}1{}", "(".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}1{}", "{a:".repeat(n), "}".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "ABS(".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a FROM c", "c.b ? 1 : ".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "1 IN (".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "1 || 1 | 1 ^ 1 & 1 = 1 < 1 << 1 + 1 * (".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE c.a{} FROM c", " + c.a".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "(c.a OR c.b AND ".repeat(n), ")".repeat(n)),
 ];
 let f=fs[which];
 std::thread::Builder::new().stack_size(64<<20).spawn(move||{
  let d=(1..=MAX_NESTING).rev().find(|n|parse(&f(*n)).is_ok()).unwrap();
  let t=f(d);
  std::thread::Builder::new().stack_size(kb<<10).spawn(move||{
   if phase=="parse"{ let q=parse(&t).unwrap(); std::mem::forget(q);} 
   else if phase=="compile"{ let q=compile(&t,&[]).unwrap(); std::mem::forget(q);}
   else { let q=compile(&t,&[]).unwrap(); let row=orrery_value::Value::parse(br#"{"a":true,"b":true}"#).unwrap(); let _=q.run_in_memory(&[row]); let _=parse(&t).unwrap().to_string(); }
   println!("ok depth {d}");
  }).unwrap().join().unwrap();
 }).unwrap().join().unwrap();
}
