internal import Foundation

/// Reads committed pages of one log. Of a page that was changed several times, the last change within a window is enough.
struct LogReading {
    let file: LogFile
    let head: LogFile.Head

    /// Pages that are looked at together: 64 MiB of the usual pages.
    private static let windowFrames = 16_384
    /// Most bytes of a piece.
    private static let pieceBytes = 1_048_576

    /// - Parameter frames: they end with a commit.
    func read(_ frames: Range<Int>, _ write: (LogPiece) throws -> Void) throws {
        let handle = try file.open()
        var start = frames.lowerBound
        while start < frames.upperBound {
            let end = min(start + Self.windowFrames, frames.upperBound)
            try read(handle, start..<end, isLast: end == frames.upperBound, write)
            start = end
        }
    }

    private func read(
        _ handle: FileHandle, _ window: Range<Int>, isLast: Bool, _ write: (LogPiece) throws -> Void
    ) throws {
        let heads = try window.map { try LogFile.frameHead(handle, $0, head) }
        guard heads.allSatisfy({ $0.salt == head.salt }), let last = heads.last, !isLast || last.pageCount > 0 else {
            throw LogProblem.damaged
        }
        var newest: [UInt32: Int] = [:]
        for (index, frame) in zip(window, heads) { newest[frame.page] = index }
        let chosen = newest.sorted { $0.value < $1.value }
        let pagesMax = max(1, Self.pieceBytes / head.pageBytes)
        let position = LogPosition(salt: head.salt, frames: window.upperBound, checksum: last.checksum)
        for start in stride(from: 0, to: chosen.count, by: pagesMax) {
            let end = min(start + pagesMax, chosen.count)
            let pages = try chosen[start..<end].map { number, index in
                (number: number, bytes: try LogFile.page(handle, index, head))
            }
            let isWhole = isLast && end == chosen.count
            try write(
                LogPiece(
                    pages: pages, isLast: isWhole, pageCount: isWhole ? last.pageCount : 0, pageBytes: head.pageBytes,
                    position: position))
        }
    }
}
