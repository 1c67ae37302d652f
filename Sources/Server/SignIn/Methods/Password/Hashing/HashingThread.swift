#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif
internal import KeyturnBase

/// A thread with a lower priority than everything else in the process.
///
/// On Linux nice values belong to threads: at a low priority the kernel soon interrupts a hash for any other work, and
/// still runs it on an idle core. On Apple's systems the quality of service does the same.
enum HashingThread {
    /// Runs `body` on a new thread, which ends with it. A hash takes tens of milliseconds, a new thread microseconds.
    ///
    /// - Returns: `false` if the system has no more threads to give; `body` is then never run.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start {
            #if canImport(Darwin)
                pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
            #else
                // For "process" 0, Linux sets the value of the calling thread only. Raising it needs no permission.
                _ = setpriority(process, 0, niceness)
            #endif
            HashingMemory.shared.keeping(body)
        }
    }

    /// A tenth of a normal thread's share: refreshes come first, and sign-ins still proceed on a busy machine.
    private static let niceness: Int32 = 10
    /// `PRIO_PROCESS`, which C libraries declare with different types.
    private static let process: Int32 = 0
}
