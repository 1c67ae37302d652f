internal import Foundation

/// The pieces that the formats of password hashes share.
enum HashText {
    /// Base64 with or without padding; also with `.` for `+`, as passlib writes it.
    static func base64(_ text: Substring) -> [UInt8]? {
        let bare = text.hasSuffix("=") ? String(text.prefix { $0 != "=" }) : String(text)
        guard text.count - bare.count <= 2, bare.count % 4 != 1 else { return nil }
        let standard = bare.replacing(".", with: "+")
        let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: padded).map(Array.init)
    }

    /// Base64 of a digest: 16 to 64 bytes. Less would let a wrong password pass by chance.
    static func digest(_ text: Substring) -> [UInt8]? {
        base64(text).flatMap { (16...64).contains($0.count) ? $0 : nil }
    }

    /// `a=1,b=2`, each name once, all of them known.
    static func numbers(_ text: Substring, names: Set<String>) -> [String: Int]? {
        var result: [String: Int] = [:]
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, names.contains(String(sides[0])), let value = number(sides[1]),
                result.updateValue(value, forKey: String(sides[0])) == nil
            else { return nil }
        }
        return result
    }

    /// A whole number without sign or leading zeros, at most nine digits.
    static func number(_ text: Substring) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.first != "0"
        else { return nil }
        return Int(text)
    }

    /// The alphabet of Unix's own base64, in its order.
    static let unixAlphabet = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    static func unixDigit(_ character: Character?) -> Int? {
        character?.asciiValue.flatMap { unixAlphabet.firstIndex(of: $0) }
    }

    static func isUnixText(_ text: Substring) -> Bool {
        text.utf8.allSatisfy(unixAlphabet.contains)
    }
}
