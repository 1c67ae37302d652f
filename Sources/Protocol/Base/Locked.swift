#if KEYTURN_TSAN || canImport(Darwin)
    public import Foundation
#else
    public import Synchronization
#endif

/// A value that one thread at a time may touch.
///
/// `Mutex`, except on Apple's systems, the oldest of which that we support have none, and where the thread sanitizer
/// watches: it does not see what `Mutex` does on Linux, and would report races where there are none.
public final class Locked<Value: Sendable>: Sendable {
    #if KEYTURN_TSAN || canImport(Darwin)
        @usableFromInline let lock = NSLock()
        // Touched only while the lock is held.
        @usableFromInline nonisolated(unsafe) var value: Value
    #else
        @usableFromInline let value: Mutex<Value>
    #endif

    /// A lock around `value`, open.
    @inlinable
    public init(_ value: Value) {
        #if KEYTURN_TSAN || canImport(Darwin)
            unsafe self.value = value
        #else
            self.value = Mutex(value)
        #endif
    }

    /// Runs `body` while no other thread touches the value. Must not wait for anything.
    @inlinable
    public func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if KEYTURN_TSAN || canImport(Darwin)
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
