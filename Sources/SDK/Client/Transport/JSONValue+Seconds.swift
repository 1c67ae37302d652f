internal import KeyturnBase

extension JSONValue {
    /// A number of seconds as servers write it: a number, with a fraction or without, or the same as a text. `nil` for
    /// anything else, and for less than 0.
    var secondsValue: Int64? {
        let seconds: Int64? =
            switch self {
            case .integer(let value): value
            case .number(let value): value < 0x1p63 ? Int64(exactly: value.rounded(.down)) : Int64.max
            case .string(let text): Self.seconds(text)
            default: nil
            }
        return seconds.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Digits, and behind a point others that are dropped.
    private static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        return parts.first.flatMap { Int64($0) }
    }
}
