#if os(Linux)
    /// Reads the types of D-Bus that the Secret Service uses, one after the other, from bytes that any program may have
    /// made (D-Bus Specification, “Marshaling”).
    ///
    /// No length is believed before the bytes it counts are seen to be there.
    struct BusReader {
        private let bytes: [UInt8]
        private var offset: Int
        private var end: Int
        private let isBigEndian: Bool

        /// - Parameter bytes: What begins at a multiple of 8, as a message and its body do.
        init(_ bytes: [UInt8], isBigEndian: Bool) {
            self.bytes = bytes
            self.isBigEndian = isBigEndian
            offset = 0
            end = bytes.count
        }

        var isAtEnd: Bool { offset == end }

        mutating func byte() throws(BusProblem) -> UInt8 {
            guard offset < end else { throw .malformed("a value is cut off") }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func uint32() throws(BusProblem) -> UInt32 {
            try align(4)
            let four = try take(4)
            let value = four.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return isBigEndian ? value : value.byteSwapped
        }

        mutating func bool() throws(BusProblem) -> Bool {
            switch try uint32() {
            case 0: return false
            case 1: return true
            default: throw .malformed("a truth value is neither")
            }
        }

        mutating func string() throws(BusProblem) -> String {
            try text(count: uint32())
        }

        mutating func objectPath() throws(BusProblem) -> String {
            let path = try string()
            guard BusPath.isValid(path) else { throw .malformed("an object path is none") }
            return path
        }

        mutating func signature() throws(BusProblem) -> String {
            try text(count: UInt32(byte()))
        }

        /// The signature of a variant, which must be the one expected; its value is what is read next.
        mutating func variant(_ expected: String) throws(BusProblem) {
            guard try signature() == expected else { throw .malformed("a value has an unexpected type") }
        }

        /// A structure or an entry of a dictionary begins here.
        mutating func beginStructure() throws(BusProblem) {
            try align(8)
        }

        mutating func byteArray() throws(BusProblem) -> [UInt8] {
            try Array(take(uint32()))
        }

        /// - Parameters:
        ///   - alignment: Of the elements: 4 for strings and paths, 8 for structures.
        ///   - countMax: More elements than these are refused.
        mutating func array<Element>(
            alignment: Int, countMax: Int, _ element: (inout BusReader) throws(BusProblem) -> Element
        ) throws(BusProblem) -> [Element] {
            let count = try uint32()
            try align(alignment)
            let outerEnd = end
            guard count <= UInt32(clamping: outerEnd - offset) else { throw .malformed("an array is cut off") }
            end = offset + Int(count)
            var elements: [Element] = []
            while offset < end {
                guard elements.count < countMax else { throw .malformed("an array is too long") }
                let start = offset
                elements.append(try element(&self))
                precondition(offset > start, "no element is empty")
            }
            end = outerEnd
            return elements
        }

        private mutating func text(count: UInt32) throws(BusProblem) -> String {
            let content = try take(count)
            guard let text = String(validating: content, as: UTF8.self), !content.contains(0), try byte() == 0 else {
                throw .malformed("a text is none")
            }
            return text
        }

        private mutating func take(_ count: UInt32) throws(BusProblem) -> ArraySlice<UInt8> {
            guard count <= UInt32(clamping: end - offset) else { throw .malformed("a value is cut off") }
            defer { offset += Int(count) }
            return bytes[offset..<(offset + Int(count))]
        }

        private mutating func align(_ alignment: Int) throws(BusProblem) {
            while offset % alignment != 0 {
                guard try byte() == 0 else { throw .malformed("padding is not zero") }
            }
        }
    }

    /// Names of objects on a bus.
    enum BusPath {
        /// What stands for no object at all.
        static let none = "/"

        /// Whether `path` is one: `/`, or elements of letters, digits and `_`, each after a `/`.
        static func isValid(_ path: String) -> Bool {
            guard path.utf8.count <= 1_024, path.utf8.first == UInt8(ascii: "/") else { return false }
            if path == none { return true }
            return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.allSatisfy(isElementByte) }
        }

        private static func isElementByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
#endif
