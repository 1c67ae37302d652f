/// A QR code as text, for terminals.
extension QRCode {
    /// One line of it.
    public struct BlockLine: Hashable, Sendable {
        /// With the escape sequences for its colours.
        public let text: String
        /// How wide it is on the screen.
        public let columns: Int
    }

    /// Two rows of modules a line, in half blocks (U+2580, U+2584, U+2588), with the quiet zone of four modules.
    ///
    /// - Parameter inColour: black on white, independent of the terminal's colours (ISO 8613-6). Otherwise light
    ///   modules are drawn and dark ones left out, which is right on dark terminals; most cameras read both.
    /// - Returns: at least one line.
    public func blocks(inColour: Bool) -> [BlockLine] {
        let quiet = Self.quietModules
        let side = width + 2 * quiet
        return stride(from: 0, to: side, by: 2).map { row in
            let cells = (0..<side).map { column -> Character in
                let top = isDark(column - quiet, row - quiet)
                // Below an odd last row there is only the quiet zone.
                let bottom = isDark(column - quiet, row + 1 - quiet)
                switch (top == inColour, bottom == inColour) {
                case (true, true): return "\u{2588}"
                case (true, false): return "\u{2580}"
                case (false, true): return "\u{2584}"
                case (false, false): return " "
                }
            }
            let line = String(cells)
            return BlockLine(
                text: inColour ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line, columns: side)
        }
    }
}
