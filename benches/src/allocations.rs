//! A global allocator that counts, so that "no allocation per transition" is measured, not only
//! claimed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system allocator, with a count of allocated blocks.
pub struct Counting {
    blocks: AtomicU64,
}

impl Counting {
    /// An allocator with a count of 0.
    pub const fn new() -> Self {
        Self { blocks: AtomicU64::new(0) }
    }

    /// How many blocks were allocated or moved so far.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }

    fn count(&self) {
        self.blocks.fetch_add(1, Ordering::Relaxed);
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self::new()
    }
}

// `GlobalAlloc` is an unsafe trait. Every call is passed on unchanged, so the caller's guarantees
// to this allocator are the ones that `System` requires.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count();
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
