//! Stages one behind the other, with a queue before each.
//!
//! Results are pulled: [`Pipeline::next`] lets the latest stage work that has something to work on, so that what is under way leaves
//! before more comes in, and stops as soon as there are results. No stage calls the one before it: a traversal of thousands of steps
//! needs no more stack than one of two.
//!
//! A stage gets more at once the longer nothing comes out: 1, 2, 4 .. [`MAX_BATCH`], and less if what it makes of one is much. So a
//! traversal whose first result is wanted reads little, and one that is run to its end asks the graph for many elements at a time.

use std::collections::VecDeque;
use std::time::Instant;

use super::figures::Figures;
use super::{Context, RunError, Traverser, nesting};

/// Most traversers that a stage takes at once.
pub(super) const MAX_BATCH: usize = 1024;

/// What one take of a stage is meant to put out at the most.
const MAX_OUTPUT: usize = 16 * 1024;

/// Traversers that wait for a stage.
pub(super) type Queue = VecDeque<Traverser>;

/// A step as it runs.
pub(super) trait Stage {
    /// Takes what comes, and may put out results.
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError>;

    /// Whether it has something to go on with that it took before.
    fn is_pending(&self) -> bool {
        false
    }

    /// Goes on with that for about `most` results.
    fn resume(&mut self, _most: usize, _out: &mut Queue) -> Result<(), RunError> {
        Ok(())
    }

    /// How many of its results are wanted at all, told before it takes or goes on; never told if no stage behind it counts.
    fn expect(&mut self, _demand: usize) {}

    /// Whether it holds something back that it gives if nothing more comes for now.
    fn holds(&self) -> bool {
        false
    }

    /// Gives that.
    fn release(&mut self, _out: &mut Queue) -> Result<(), RunError> {
        Ok(())
    }

    /// Nothing more will come.
    fn finish(&mut self, _out: &mut Queue) -> Result<(), RunError> {
        Ok(())
    }

    /// Whether it needs nothing more; only of those with a demand.
    fn is_done(&self) -> bool {
        false
    }

    /// How many it will let through yet, if it counts; it does so always or never.
    fn demand(&self) -> Option<usize> {
        None
    }

    /// Begins anew.
    fn reset(&mut self, _kind: Reset) {}
}

/// What is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reset {
    /// Everything.
    All,
    /// What belongs to one round of a repetition.
    Round,
}

/// A stage that makes something of each batch and keeps nothing.
pub(super) struct Each<F>(pub F);

impl<F: FnMut(Vec<Traverser>, &mut Queue) -> Result<(), RunError>> Stage for Each<F> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        self.0(batch, out)
    }
}

/// A stage that waits for all.
pub(super) struct Gather<'r, F> {
    gathered: Vec<Traverser>,
    held: super::Held<'r>,
    make: F,
}

impl<'r, F: FnMut(Vec<Traverser>, &mut Queue) -> Result<(), RunError>> Gather<'r, F> {
    pub fn new(cx: &'r Context<'r>, make: F) -> Self {
        Gather { gathered: Vec::new(), held: cx.held(), make }
    }
}

impl<F: FnMut(Vec<Traverser>, &mut Queue) -> Result<(), RunError>> Stage for Gather<'_, F> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        self.held.grow_by_traversers(&batch)?;
        self.gathered.extend(batch);
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let all = std::mem::take(&mut self.gathered);
        let result = if all.is_empty() { Ok(()) } else { (self.make)(all, out) };
        self.held.clear();
        result
    }

    fn reset(&mut self, _kind: Reset) {
        self.gathered.clear();
        self.held.clear();
    }
}

struct Station<'r> {
    stage: Box<dyn Stage + 'r>,
    queue: Queue,
    took: u64,
    put: u64,
}

/// Stages one behind the other.
pub(super) struct Pipeline<'r> {
    cx: &'r Context<'r>,
    stations: Vec<Station<'r>>,
    results: Queue,
    /// Those that count what they let through.
    limits: Vec<usize>,
    /// The stages before this one have nothing to do any more.
    finished: usize,
    /// No stage behind this one has anything to do.
    cursor: usize,
    has_ended: bool,
    /// Takes one at a time, since a stage changes something and one behind it may need nothing more.
    is_strict: bool,
    /// Of each stage, where `profile()` asks.
    figures: Option<Figures>,
}

impl<'r> Pipeline<'r> {
    pub fn new(cx: &'r Context<'r>, stages: Vec<Box<dyn Stage + 'r>>, is_strict: bool) -> Self {
        let station = |stage| Station { stage, queue: Queue::new(), took: 0, put: 0 };
        let stations: Vec<_> = stages.into_iter().map(station).collect();
        let cursor = stations.len();
        let has_limit = |station: &Station<'_>| station.stage.demand().is_some();
        let limits = stations.iter().enumerate().filter(|(_, one)| has_limit(one)).map(|(at, _)| at).collect();
        Pipeline {
            cx,
            limits,
            stations,
            results: Queue::new(),
            finished: 0,
            cursor,
            has_ended: false,
            is_strict,
            figures: None,
        }
    }

    /// Counts from now on.
    pub fn measure(&mut self, figures: Figures) {
        self.figures = Some(figures);
    }

    /// Something more to work on.
    pub fn feed(&mut self, batch: impl IntoIterator<Item = Traverser>) {
        match self.stations.first_mut() {
            Some(first) => first.queue.extend(batch),
            None => self.results.extend(batch),
        }
    }

    /// Nothing more will come.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// About `most` results; none if there is nothing to work on.
    pub fn next(&mut self, most: usize) -> Result<Vec<Traverser>, RunError> {
        let mut effort = most.max(1);
        loop {
            if !self.results.is_empty() {
                let count = self.results.len().min(most.max(1));
                return Ok(self.results.drain(..count).collect());
            }
            self.cx.check()?;
            if !self.work(effort)? {
                return Ok(Vec::new());
            }
            if !self.is_strict {
                effort = (effort * 2).min(MAX_BATCH);
            }
        }
    }

    /// Works until there is nothing to work on; results wait.
    pub fn settle(&mut self) -> Result<(), RunError> {
        while self.work(MAX_BATCH)? {
            self.cx.check()?;
        }
        Ok(())
    }

    /// All results.
    pub fn drain(&mut self) -> Result<Vec<Traverser>, RunError> {
        let mut all = Vec::new();
        loop {
            let more = self.next(MAX_BATCH)?;
            if more.is_empty() {
                return Ok(all);
            }
            if all.is_empty() {
                all = more;
            } else {
                all.extend(more);
            }
        }
    }

    pub fn reset(&mut self, kind: Reset) {
        for station in &mut self.stations {
            station.queue.clear();
            station.stage.reset(kind);
        }
        self.results.clear();
        self.finished = 0;
        self.cursor = self.stations.len();
        self.has_ended = false;
    }

    /// Lets the latest stage work that can. False if none can.
    fn work(&mut self, effort: usize) -> Result<bool, RunError> {
        let is_done = |at: &&usize| self.stations.get(**at).is_some_and(|station| station.stage.is_done());
        let floor = self.limits.iter().rev().find(is_done).map_or(0, |at| at + 1);
        let can_work = |at: &usize| {
            self.stations.get(*at).is_some_and(|station| station.stage.is_pending() || !station.queue.is_empty())
        };
        let chosen = (floor..self.stations.len().min(self.cursor + 1)).rev().find(can_work);
        if floor > self.finished {
            self.stop_before(floor);
        }
        if let Some(at) = chosen {
            let demands =
                self.limits.iter().filter(|limit| **limit >= at).filter_map(|limit| self.stations.get(*limit));
            let demand = demands.filter_map(|station| station.stage.demand()).min().unwrap_or(usize::MAX);
            if demand < usize::MAX
                && let Some(station) = self.stations.get_mut(at)
            {
                station.stage.expect(demand);
            }
            let limit = if self.is_strict { 1 } else { effort.min(demand) };
            self.run(at, Work::Go(limit.max(1)))?;
            return Ok(true);
        }
        if let Some(at) =
            (floor..self.stations.len()).find(|at| self.stations.get(*at).is_some_and(|one| one.stage.holds()))
        {
            self.run(at, Work::Release)?;
            return Ok(true);
        }
        if !self.has_ended && floor == 0 && self.finished == 0 {
            self.cursor = self.stations.len();
            return Ok(false);
        }
        self.finish_one()
    }

    /// The stages before this one have nothing to do any more.
    fn stop_before(&mut self, floor: usize) {
        for station in self.stations.iter_mut().take(floor) {
            station.queue.clear();
        }
        self.finished = floor;
    }

    fn finish_one(&mut self) -> Result<bool, RunError> {
        let at = self.finished;
        if at >= self.stations.len() {
            return Ok(false);
        }
        self.finished += 1;
        self.run(at, Work::Finish)?;
        Ok(true)
    }

    /// Lets a stage work, and counts what it puts out.
    fn run(&mut self, at: usize, work: Work) -> Result<(), RunError> {
        let (before, behind) = self.stations.split_at_mut(at + 1);
        let Some(station) = before.last_mut() else { return Ok(()) };
        let out = match behind.first_mut() {
            Some(next) => &mut next.queue,
            None => &mut self.results,
        };
        let had = out.len();
        let started = self.figures.is_some().then(|| (Instant::now(), self.cx.graph.usage()));
        match work {
            Work::Finish => station.stage.finish(out)?,
            Work::Release => station.stage.release(out)?,
            Work::Go(limit) if station.stage.is_pending() => station.stage.resume(limit, out)?,
            Work::Go(limit) => {
                let batch = station.batch(limit);
                station.stage.take(batch, out)?;
            }
        }
        out.iter().skip(had).try_for_each(|traverser| nesting::check(&traverser.value))?;
        let put = out.len().saturating_sub(had);
        station.put += put as u64;
        self.cursor = at + 1;
        if let (Some((started, usage)), Some(figures)) = (started, &self.figures) {
            // A stage's writes are its own, though they could wait.
            self.cx.graph.settle()?;
            let elements = out.iter().skip(had).map(|traverser| traverser.bulk).sum();
            figures.add(at, started.elapsed(), put as u64, elements, usage, self.cx.graph.usage());
        }
        Ok(())
    }
}

/// What a stage is to do.
enum Work {
    /// Go on, or take so many.
    Go(usize),
    /// Give what it holds back.
    Release,
    /// End.
    Finish,
}

impl Station<'_> {
    /// At most so many of the queue, and fewer where the stage makes much of each.
    fn batch(&mut self, limit: usize) -> Vec<Traverser> {
        let each = self.put.checked_div(self.took).unwrap_or(1).max(1);
        let fitting = (MAX_OUTPUT as u64 / each).max(1) as usize;
        let count = limit.min(fitting).min(self.queue.len());
        self.took += count as u64;
        self.queue.drain(..count).collect()
    }
}
