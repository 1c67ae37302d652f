#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A thread that gives way to everything else in the process.
///
/// On Linux nice values belong to threads: at a low priority the kernel stops a hash soon after anything else wants
/// the core, and still lets it run where nothing does. On Apple's systems the quality of service says the same.
enum HashingThread {
    /// Runs `body` on a new thread, which ends with it.
    ///
    /// Starting one takes microseconds and a hash takes tens of milliseconds, so none are kept.
    ///
    /// - Returns: `false` if the system has no more threads to give; `body` is then never run.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // Explicit, because defaults differ widely; libargon2 and libcrypt keep what is large on the heap.
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        #if canImport(Darwin)
            unsafe pthread_attr_set_qos_class_np(&attributes, QOS_CLASS_UTILITY, 0)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let box = unsafe Unmanaged.passRetained(Body(body))
        let status = unsafe pthread_create(&thread, &attributes, run, box.toOpaque())
        if status != 0 { unsafe box.release() }
        return status == 0
    }

    private static let stackBytes = 1_048_576
    /// A tenth of a normal thread's share: refreshes pass, and sign-ins still go on beside a busy neighbour.
    private static let niceness: Int32 = 10
    /// `PRIO_PROCESS`, which C libraries declare with different types.
    private static let process: Int32 = 0

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { pointer in
            unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }
    #else
        private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            // Of "process" 0, Linux takes the calling thread alone. Raising the value needs no permission.
            _ = setpriority(process, 0, niceness)
            if let pointer = unsafe pointer { unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
            return nil
        }
    #endif
}
