/// The places of parameters: `?` and `?1` in the stores' statements, `$1` in PostgreSQL's.
enum Placeholders {
    /// The statement with PostgreSQL's places. A question mark in quotes stays; comments are left out.
    static func numbered(_ sql: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(sql.utf8.count + 16)
        var last = 0
        var rest = sql.utf8[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                let end = rest.dropFirst().firstIndex(of: byte) ?? sql.utf8.index(before: rest.endIndex)
                result += rest[...end]
                rest = rest[sql.utf8.index(after: end)...]
            case UInt8(ascii: "-") where rest.dropFirst().first == byte:
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "?"):
                rest.removeFirst()
                let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                rest = rest.dropFirst(digits.count)
                let number = digits.isEmpty ? last + 1 : digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
                last = max(last, number)
                result += "$\(number)".utf8
            default:
                result.append(byte)
                rest.removeFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
