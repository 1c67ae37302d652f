#if os(Linux)
    /// Writes the types of D-Bus that the Secret Service uses, little end first (D-Bus Specification,
    /// “Marshaling”).
    ///
    /// Texts must have no zero byte; the texts of this module are written in ASCII by itself.
    struct BusWriter {
        private(set) var bytes: [UInt8] = []

        mutating func write(_ byte: UInt8) {
            bytes.append(byte)
        }

        mutating func write(_ number: UInt32) {
            align(4)
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }

        mutating func write(_ truth: Bool) {
            write(UInt32(truth ? 1 : 0))
        }

        /// A string, or an object path.
        mutating func write(_ text: String) {
            write(UInt32(text.utf8.count))
            bytes += text.utf8
            bytes.append(0)
        }

        mutating func write(_ content: [UInt8]) {
            write(UInt32(content.count))
            bytes += content
        }

        mutating func write(signature: String) {
            bytes.append(UInt8(signature.utf8.count))
            bytes += signature.utf8
            bytes.append(0)
        }

        /// A structure or an entry of a dictionary begins here.
        mutating func beginStructure() {
            align(8)
        }

        /// - Parameter alignment: Of the elements.
        mutating func array<Elements: Collection>(
            alignment: Int, _ elements: Elements, _ write: (inout BusWriter, Elements.Element) -> Void
        ) {
            self.write(UInt32(0))
            let lengthEnd = bytes.count
            align(alignment)
            let start = bytes.count
            for element in elements { write(&self, element) }
            let count = UInt32(bytes.count - start)
            for index in 0..<4 {
                bytes[lengthEnd - 4 + index] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(index)))
            }
        }

        /// A dictionary of texts; in the order of its keys, so that equal ones look equal.
        mutating func write(_ entries: [String: String]) {
            array(alignment: 8, entries.sorted { $0.key < $1.key }) { writer, entry in
                writer.beginStructure()
                writer.write(entry.key)
                writer.write(entry.value)
            }
        }

        mutating func align(_ alignment: Int) {
            while bytes.count % alignment != 0 { bytes.append(0) }
        }
    }
#endif
