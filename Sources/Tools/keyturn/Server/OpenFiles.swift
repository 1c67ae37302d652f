internal import Foundation

/// How many files and connections the process may have open.
enum OpenFiles {
    /// More than any server needs: above it the system's own tables grow for nothing.
    private static let wanted: rlim_t = 65_536
    /// Where the system does not say: what it usually allows a process that did not ask for more.
    private static let usual = 1_024

    /// Raises the number to what the process is allowed to ask for. A shell starts programs with 1,024 of them, which
    /// is for programs that look at each file in every round; this one does not.
    ///
    /// - Returns: how many there are now.
    static func raise() -> Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return usual }
        let goal = min(limit.rlim_max, wanted)
        if limit.rlim_cur < goal {
            var raised = limit
            raised.rlim_cur = goal
            // A sandbox may forbid it; then the number stays.
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
