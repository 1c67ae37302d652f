/// Why bytes are not the DER that was asked for.
struct DERProblem: Error, Hashable {
    let detail: String
}

/// One element of DER (X.690 §10): its tag and what is inside.
struct DERElement: Hashable {
    /// Class and number, without regard to whether it holds other elements.
    struct Tag: Hashable {
        let number: UInt32
        /// 0 universal, 1 application, 2 context, 3 private.
        let kind: UInt8

        static let boolean = Tag(number: 1, kind: 0)
        static let integer = Tag(number: 2, kind: 0)
        static let bitString = Tag(number: 3, kind: 0)
        static let octetString = Tag(number: 4, kind: 0)
        static let objectIdentifier = Tag(number: 6, kind: 0)
        static let enumerated = Tag(number: 10, kind: 0)
        static let sequence = Tag(number: 16, kind: 0)
        static let set = Tag(number: 17, kind: 0)

        static func context(_ number: UInt32) -> Tag {
            Tag(number: number, kind: 2)
        }
    }

    let tag: Tag
    let isConstructed: Bool
    let content: ArraySlice<UInt8>

    /// The elements inside.
    func children(max: Int = WebAuthnLimits.certificateFields) throws(DERProblem) -> [DERElement] {
        guard isConstructed else { throw DERProblem(detail: "an element that has none inside") }
        var reader = DERReader(content)
        var elements: [DERElement] = []
        while !reader.isAtEnd {
            guard elements.count < max else { throw DERProblem(detail: "too many elements") }
            elements.append(try reader.next())
        }
        return elements
    }

    /// The one element inside.
    func only(_ tag: Tag) throws(DERProblem) -> DERElement {
        let elements = try children(max: 1)
        guard let first = elements.first, first.tag == tag else { throw DERProblem(detail: "another element inside") }
        return first
    }

    /// The dotted form of an object identifier.
    func objectIdentifier() throws(DERProblem) -> String {
        guard tag == .objectIdentifier, !isConstructed, let last = content.last, last & 0x80 == 0, content.count <= 64
        else { throw DERProblem(detail: "not an object identifier") }
        var arcs: [UInt64] = []
        var value: UInt64 = 0
        var isFirstByte = true
        for byte in content {
            guard !isFirstByte || byte != 0x80, value < 1 << 56 else {
                throw DERProblem(detail: "an object identifier that is written too long")
            }
            value = value << 7 | UInt64(byte & 0x7F)
            isFirstByte = byte & 0x80 == 0
            if isFirstByte {
                if arcs.isEmpty {
                    let first = min(value / 40, 2)
                    arcs = [first, value - first * 40]
                } else {
                    arcs.append(value)
                }
                value = 0
            }
        }
        return arcs.map(String.init).joined(separator: ".")
    }

    /// A number of at most 63 bits that is not negative.
    func smallInteger() throws(DERProblem) -> Int64 {
        guard tag == .integer || tag == .enumerated, !isConstructed, let first = content.first, first & 0x80 == 0,
            content.count <= 8, content.count == 1 || first != 0 || (content.dropFirst().first ?? 0) & 0x80 != 0
        else { throw DERProblem(detail: "not a small number") }
        return content.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The bytes of a positive number, without the zero that only says that it is positive.
    func magnitude() throws(DERProblem) -> [UInt8] {
        guard tag == .integer, !isConstructed, let first = content.first, first & 0x80 == 0 else {
            throw DERProblem(detail: "not a positive number")
        }
        return Array(first == 0 ? content.dropFirst() : content)
    }

    /// A truth value; DER spells `true` as 0xFF alone.
    func truth() throws(DERProblem) -> Bool {
        guard tag == .boolean, !isConstructed, content.count == 1, let byte = content.first, byte == 0 || byte == 0xFF
        else { throw DERProblem(detail: "not a truth value") }
        return byte == 0xFF
    }

    /// What an octet string holds.
    func octets() throws(DERProblem) -> [UInt8] {
        guard tag == .octetString, !isConstructed else { throw DERProblem(detail: "not an octet string") }
        return Array(content)
    }

    /// What a bit string of whole bytes holds.
    func wholeBits() throws(DERProblem) -> [UInt8] {
        guard tag == .bitString, !isConstructed, content.first == 0 else {
            throw DERProblem(detail: "not a string of whole bytes")
        }
        return Array(content.dropFirst())
    }
}

/// Takes DER apart, element by element: definite lengths, shortest form, nothing that was only announced.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The one element that `bytes` are.
    static func document(_ bytes: some Collection<UInt8>, _ tag: DERElement.Tag) throws(DERProblem) -> DERElement {
        var reader = DERReader(ArraySlice(bytes))
        let element = try reader.next()
        guard reader.isAtEnd, element.tag == tag else { throw DERProblem(detail: "another element, or bytes after it") }
        return element
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() throws(DERProblem) -> DERElement {
        let first = try byte()
        var number = UInt32(first & 0x1F)
        if number == 0x1F { number = try longTag() }
        let length = try self.length()
        guard length <= rest.count else { throw DERProblem(detail: "an element that is cut off") }
        defer { rest = rest.dropFirst(length) }
        return DERElement(
            tag: DERElement.Tag(number: number, kind: first >> 6), isConstructed: first & 0x20 != 0,
            content: rest.prefix(length))
    }

    private mutating func longTag() throws(DERProblem) -> UInt32 {
        var number: UInt32 = 0
        for index in 0..<4 {
            let byte = try byte()
            guard index > 0 || byte != 0x80 else { throw DERProblem(detail: "a tag that is written too long") }
            number = number << 7 | UInt32(byte & 0x7F)
            if byte & 0x80 == 0 {
                guard number >= 0x1F else { throw DERProblem(detail: "a tag that is written too long") }
                return number
            }
        }
        throw DERProblem(detail: "a tag that is too large")
    }

    private mutating func length() throws(DERProblem) -> Int {
        let first = try byte()
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count) else { throw DERProblem(detail: "a length that is indefinite or too large") }
        var value = 0
        for _ in 0..<count { value = value << 8 | Int(try byte()) }
        guard value >= 0x80, value >= 1 << ((count - 1) * 8) else {
            throw DERProblem(detail: "a length that is written too long")
        }
        return value
    }

    private mutating func byte() throws(DERProblem) -> UInt8 {
        guard let first = rest.first else { throw DERProblem(detail: "an element that is cut off") }
        rest = rest.dropFirst()
        return first
    }
}
