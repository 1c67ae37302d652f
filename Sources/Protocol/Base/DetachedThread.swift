#if canImport(Darwin)
    private import Darwin
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Glibc)
    private import Glibc
#endif

/// A thread for work that waits: the threads that tasks share must never wait for a socket or a user.
///
/// Starting one takes microseconds, so none are kept. What the work holds is released before the thread ends: nothing of
/// ours runs among the destructors of thread-local values.
public enum DetachedThread {
    /// Explicit, because the systems' defaults differ widely.
    private static let stackBytes = 1_048_576

    /// Runs `work` on a new thread, which ends with it.
    ///
    /// - Returns: `false` if the system has no more threads to give; `work` is then never run.
    @discardableResult
    public static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let box = unsafe Unmanaged.passRetained(Work(work))
        let status = unsafe pthread_create(&thread, &attributes, run, box.toOpaque())
        if status != 0 { unsafe box.release() }
        return status == 0
    }

    /// Waits for `work` on a new thread. Without one to be had, it runs where it is.
    ///
    /// - Throws: what `work` throws.
    public static func run<Value: Sendable, Problem: Error>(
        _ work: @escaping @Sendable () throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        let result: Result<Value, Problem> = await withCheckedContinuation { waiting in
            let started = start { waiting.resume(returning: outcome(of: work)) }
            if !started { waiting.resume(returning: outcome(of: work)) }
        }
        return try result.get()
    }

    private static func outcome<Value, Problem: Error>(
        of work: () throws(Problem) -> Value
    ) -> Result<Value, Problem> {
        do throws(Problem) {
            return .success(try work())
        } catch {
            return .failure(error)
        }
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { pointer in
            unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }
    #else
        private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            if let pointer = unsafe pointer { unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run() }
            return nil
        }
    #endif
}
