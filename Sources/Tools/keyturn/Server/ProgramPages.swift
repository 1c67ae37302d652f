internal import Foundation

/// Pages of the program and its libraries. Much of them is needed at the start alone.
enum ProgramPages {
    /// Lets go of all of them. What is needed comes back from the system's cache, without reading a disk; the rest does
    /// not.
    static func giveBack() {
        #if canImport(Glibc)
            guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
            for range in unwritten(in: maps) {
                unsafe madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            }
        #endif
    }

    /// Where the process has pages that are as they are in their files: the code of each, and what stands before it. What
    /// stands behind the code and cannot be written may have been written by the linker when the program started.
    ///
    /// - Parameter maps: `/proc/self/maps`, in the order of the addresses.
    static func unwritten(in maps: String) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        var file = ""
        var isBehindCode = false
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6 else { continue }
            let path = fields[5].drop { $0 == " " }
            guard path.first == "/" else { continue }
            if path != file { (file, isBehindCode) = (String(path), false) }
            let isCode = fields[1] == "r-xp"
            defer { isBehindCode = isBehindCode || isCode || fields[1].contains("w") }
            guard !isBehindCode, isCode || fields[1] == "r--p" else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, ends[0] < ends[1] { ranges.append(ends[0]..<ends[1]) }
        }
        return ranges
    }
}
