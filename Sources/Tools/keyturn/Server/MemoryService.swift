#if canImport(Glibc)
    internal import CMalloc
#endif
internal import Foundation
internal import ServiceLifecycle

/// Gives memory back to the system when the server has used more than it needs now: after a flood, or after many
/// sign-ins at once. The allocator of the GNU C library keeps what it once had.
struct MemoryService: Service {
    /// How often it looks, in seconds.
    private static let intervalSeconds = 10
    /// So much more than after the last time, and it gives back; in bytes. Less is noise.
    private static let growthBytesMin = 8_388_608
    /// Blocks from this size on are given back when they are freed, in bytes: a password's hash takes 19 MiB.
    private static let largeBlockBytes: Int32 = 1_048_576

    /// Called once, at the start. Without it the allocator raises the size by itself, up to
    /// 32 MiB, and each of its arenas keeps the memory of one hash.
    static func prepare() {
        #if canImport(Glibc)
            _ = mallopt(M_MMAP_THRESHOLD, largeBlockBytes)
        #endif
    }

    /// By then everything has started, in seconds.
    private static let startSeconds = 5

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: .seconds(Self.startSeconds))
            if !Task.isCancelled { ProgramPages.giveBack() }
            await giveBack()
        }
    }

    /// Looks at what the process holds, every few seconds until it is cancelled. Giving back takes some milliseconds,
    /// and happens only when the process does not grow any more.
    private func giveBack() async {
        var least = Self.residentBytes() ?? 0
        var last = least
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.intervalSeconds))
            guard let now = Self.residentBytes() else { return }
            if now >= least + Self.growthBytesMin, now < last + Self.growthBytesMin {
                Self.trim()
                least = Self.residentBytes() ?? now
            }
            least = min(least, now)
            last = now
        }
    }

    private static func trim() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }

    /// Memory of the process that is no file's; `nil` where the system does not say.
    static func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3 else { return nil }
        return (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
