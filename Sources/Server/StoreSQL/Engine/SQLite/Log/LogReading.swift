internal import Foundation

/// Reads committed pages of one log. Of a page that was changed several times, the last change within a window is enough.
struct LogReading {
    let file: LogFile
    let head: LogFile.Head

    /// Pages that are looked at together: 64 MiB of the usual pages.
    private static let windowFrames = 16_384
    /// Most bytes of a piece.
    private static let pieceBytes = 1_048_576

    /// - Parameters:
    ///   - frames: they end with a commit.
    ///   - start: the index of the first one.
    func read(_ frames: [LogFile.Frame], from start: Int, _ write: (LogPiece) throws -> Void) throws {
        let handle = try file.open()
        for first in stride(from: 0, to: frames.count, by: Self.windowFrames) {
            let end = min(first + Self.windowFrames, frames.count)
            try read(handle, frames[first..<end], from: start, isLast: end == frames.count, write)
        }
    }

    private func read(
        _ handle: FileHandle, _ window: ArraySlice<LogFile.Frame>, from start: Int, isLast: Bool,
        _ write: (LogPiece) throws -> Void
    ) throws {
        var newest: [UInt32: Int] = [:]
        for (index, frame) in zip(window.indices, window) { newest[frame.page] = index }
        guard let last = window.last else { return }
        let chosen = newest.sorted { $0.value < $1.value }
        let pagesMax = max(1, Self.pieceBytes / head.pageBytes)
        let position = LogPosition(salt: head.salt, frames: start + window.endIndex, checksum: last.checksum)
        for first in stride(from: 0, to: chosen.count, by: pagesMax) {
            let end = min(first + pagesMax, chosen.count)
            let pages = try chosen[first..<end].map { number, index in
                (number: number, bytes: try LogFile.page(handle, start + index, head))
            }
            let isWhole = isLast && end == chosen.count
            try write(
                LogPiece(
                    pages: pages, isLast: isWhole, pageCount: isWhole ? last.pageCount : 0, pageBytes: head.pageBytes,
                    position: position))
        }
    }
}
