#if KEYTURN_TSAN
    private import Foundation
#else
    private import Synchronization
#endif

/// A value that one thread at a time may touch.
///
/// `Mutex`, unless the thread sanitizer watches: that does not see what `Mutex` does on Linux, and would report
/// races where there are none.
public final class Locked<Value: Sendable>: Sendable {
    #if KEYTURN_TSAN
        private let lock = NSLock()
        // Touched only while the lock is held.
        private nonisolated(unsafe) var value: Value
    #else
        private let value: Mutex<Value>
    #endif

    public init(_ value: Value) {
        #if KEYTURN_TSAN
            unsafe self.value = value
        #else
            self.value = Mutex(value)
        #endif
    }

    /// Runs `body` while nobody else touches the value. Must not wait for anything.
    public func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if KEYTURN_TSAN
            lock.lock()
            defer { lock.unlock() }
            return try unsafe body(&value)
        #else
            return try value.withLock { (value) throws(Failure) in
                try body(&value)
            }
        #endif
    }
}
