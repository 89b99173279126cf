//! What both backends promise, checked from outside.

mod conformance;
mod crash;
mod disk_full;
mod folder;
mod isolation;
mod model;
mod reclaim;
mod support;
