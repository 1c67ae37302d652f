#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif
internal import KeyturnBase

/// A thread that gives way to everything else in the process.
///
/// On Linux nice values belong to threads: at a low priority the kernel stops a hash soon after anything else wants
/// the core, and still lets it run where nothing does. On Apple's systems the quality of service says the same.
enum HashingThread {
    /// Runs `body` on a new thread, which ends with it. A hash takes tens of milliseconds, starting a thread microseconds.
    ///
    /// - Returns: `false` if the system has no more threads to give; `body` is then never run.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start {
            #if canImport(Darwin)
                pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
            #else
                // Of "process" 0, Linux takes the calling thread alone. Raising the value needs no permission.
                _ = setpriority(process, 0, niceness)
            #endif
            body()
        }
    }

    /// A tenth of a normal thread's share: refreshes pass, and sign-ins still go on beside a busy neighbour.
    private static let niceness: Int32 = 10
    /// `PRIO_PROCESS`, which C libraries declare with different types.
    private static let process: Int32 = 0
}
