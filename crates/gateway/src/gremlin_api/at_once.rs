//! Which requests are tried where they come in.
//!
//! A thread of its own costs a short look-up more than the look-up itself: two changes of threads, and caches that are cold. So a request
//! is tried at once, on the thread that drives its connection, for as long as [`TRIAL_TIME`] and only while nothing has to be waited for.
//! New elements are held back meanwhile, and written when it has ended. If that is not enough, it begins anew on a thread of its own, and
//! requests with the same code are not tried for a while.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::time::Duration;

use orrery_gremlin::value::{Bytecode, GValue};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::command::Code;

/// How long the thread may work on each traversal of a trial: its other connections wait meanwhile.
pub(super) const TRIAL_TIME: Duration = Duration::from_millis(1);

/// How long a trial may last in all. Where other threads want the processor too, a trial of 50 µs lasts a slice of time longer, some 3 ms,
/// as often as it is interrupted; that would be no better on a thread of its own.
pub(super) const LONGEST_TRIAL: Duration = Duration::from_millis(4);

/// Most bytes of texts and values that are tried: more take long only to be read.
const MAX_TRIED_BYTES: usize = 16 * 1024;

/// Codes that are told apart. Those that fall together pause together.
const SLOTS: usize = 1024;

/// What became of earlier trials.
pub(super) struct Trials {
    /// For each slot, how many requests are still to be passed over, and above them in the upper byte how many were after the last trial in
    /// vain: twice as many each time, up to 255, so that trials in vain cost next to nothing, and half as many after each that went well.
    pauses: Box<[AtomicU16]>,
}

/// The place of a code among the [`Trials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot(usize);

impl Default for Trials {
    fn default() -> Trials {
        Trials { pauses: (0..SLOTS).map(|_| AtomicU16::new(0)).collect() }
    }
}

impl Trials {
    /// Whether the code is to be tried; if so, where to note what becomes of it.
    pub fn take(&self, code: &Code) -> Option<Slot> {
        if size_bytes(code) > MAX_TRIED_BYTES {
            return None;
        }
        let slot = slot_of(code);
        let pause = &self.pauses[slot.0];
        // Two requests that count as one do no harm.
        let [last, left] = pause.load(Relaxed).to_be_bytes();
        match left.checked_sub(1) {
            None => Some(slot),
            Some(left) => {
                pause.store(u16::from_be_bytes([last, left]), Relaxed);
                None
            }
        }
    }

    /// Notes whether a trial went well.
    pub fn note(&self, slot: Slot, went_well: bool) {
        let pause = &self.pauses[slot.0];
        let [last, _] = pause.load(Relaxed).to_be_bytes();
        let next = if went_well { [last / 2, 0] } else { [last.saturating_mul(2).saturating_add(1); 2] };
        if (went_well, last) != (true, 0) {
            pause.store(u16::from_be_bytes(next), Relaxed);
        }
    }
}

/// About how many bytes the code and its values are.
fn size_bytes(code: &Code) -> usize {
    match code {
        Code::Text { text, bindings } => {
            let bindings = bindings.iter().map(|(name, value)| value_bytes(name) + value_bytes(value));
            text.len() + bindings.sum::<usize>()
        }
        Code::Bytecode(bytecode) => bytecode_bytes(bytecode),
    }
}

fn bytecode_bytes(bytecode: &Bytecode) -> usize {
    let instructions = bytecode.source.iter().chain(&bytecode.steps);
    instructions.flat_map(|instruction| &instruction.arguments).map(value_bytes).sum()
}

fn value_bytes(value: &GValue) -> usize {
    const SCALAR_BYTES: usize = 16;
    let inside = match value {
        GValue::String(text) => text.len(),
        GValue::List(items) => items.iter().map(value_bytes).sum(),
        GValue::Set(members) => members.iter().map(value_bytes).sum(),
        GValue::Map(entries) => entries.iter().map(|(key, value)| value_bytes(key) + value_bytes(value)).sum(),
        GValue::Bytecode(nested) => bytecode_bytes(nested),
        GValue::CardinalityValue(_, value) => value_bytes(value),
        _ => 0,
    };
    SCALAR_BYTES + inside
}

/// The same for texts that differ in their bindings only, and for bytecode that differs in its arguments only.
fn slot_of(code: &Code) -> Slot {
    let hash = match code {
        Code::Text { text, .. } => xxh3_64(text.as_bytes()),
        Code::Bytecode(bytecode) => {
            let mut hash = Xxh3::new();
            add_steps(&mut hash, bytecode);
            hash.digest()
        }
    };
    Slot(hash as usize % SLOTS)
}

fn add_steps(hash: &mut Xxh3, bytecode: &Bytecode) {
    for step in &bytecode.steps {
        hash.update(step.name.as_bytes());
        hash.update(b"\n");
        for argument in &step.arguments {
            if let GValue::Bytecode(nested) = argument {
                add_steps(hash, nested);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use orrery_gremlin::value::{GMap, Instruction};

    use super::*;

    fn text(text: &str) -> Code {
        Code::Text { text: text.into(), bindings: GMap::default() }
    }

    #[test]
    fn what_was_tried_in_vain_is_tried_again_after_a_while() {
        let (trials, slow, quick) = (Trials::default(), text("g.V().count()"), text("g.V(1)"));
        let slot = trials.take(&slow).expect("nothing is known yet");
        for pause in [1, 3, 7, 15, 31, 63, 127, 255, 255] {
            trials.note(slot, false);
            assert!((0..pause).all(|_| trials.take(&slow).is_none()));
            assert_eq!(trials.take(&slow), Some(slot), "after {pause}");
        }
        assert!(trials.take(&quick).is_some());
        assert_eq!(trials.take(&text(&" ".repeat(MAX_TRIED_BYTES + 1))), None);
        let long = GValue::list([" ".repeat(MAX_TRIED_BYTES).as_str().into()]);
        let bindings = GMap::from_iter([("x".into(), long.clone())]);
        assert_eq!(trials.take(&Code::Text { text: "x".into(), bindings }), None);
        let steps = vec![Instruction::new("inject", vec![long])];
        assert_eq!(trials.take(&Code::Bytecode(Bytecode { source: Vec::new(), steps }.into())), None);
        trials.note(slot, true);
        assert_eq!(trials.take(&slow), Some(slot));
        trials.note(slot, false);
        assert_eq!((0..300).take_while(|_| trials.take(&slow).is_none()).count(), 255);
    }

    #[test]
    fn bytecode_is_told_apart_by_its_steps() {
        let code = |name: &str, id: i32| {
            let steps = vec![Instruction::new("V", vec![id.into()]), Instruction::new(name, Vec::new())];
            slot_of(&Code::Bytecode(Bytecode { source: Vec::new(), steps }.into()))
        };
        assert_eq!(code("out", 1), code("out", 2));
        assert_ne!(code("out", 1), code("in", 1));
    }
}
