/// The model of an authenticator (WebAuthn Level 3 §6.5.1): the same 16 bytes for all of one kind.
public struct AAGUID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// `nil` unless there are 16 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the form with hyphens; `nil` if it is not that.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = Array(groups.joined().utf8)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private init(zeros: Int) {
        bytes = [UInt8](repeating: 0, count: zeros)
    }

    /// What an authenticator says that does not tell its model.
    public static let zero = AAGUID(zeros: 16)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension AAGUID: CustomStringConvertible {
    /// The form with hyphens, in lower case.
    public var description: String {
        let alphabet = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [alphabet[Int(byte >> 4)], alphabet[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
