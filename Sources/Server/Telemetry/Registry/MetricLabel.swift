/// A label of a series: a name, and a value of few kinds.
package struct MetricLabel: Hashable, Sendable {
    package let name: String
    package let value: String

    /// - Parameter name: dots and hyphens are written as underscores.
    package init(_ name: String, _ value: String) {
        self.name = Self.exposed(name)
        self.value = value
    }

    /// A name as Prometheus takes it: `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func exposed(_ name: String) -> String {
        let bytes = name.utf8.map { byte -> UInt8 in
            let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isLetter || (0x30...0x39).contains(byte) || byte == UInt8(ascii: ":") ? byte : UInt8(ascii: "_")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.first.map { (0x30...0x39).contains($0) } == true ? "_" + text : text
    }
}
