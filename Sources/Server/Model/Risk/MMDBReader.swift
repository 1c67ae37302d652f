internal import Foundation

/// Reads the MaxMind DB format, version 2: a binary tree of the bits of addresses, whose leaves point to records.
///
/// Every read is within the file, every value counts against a budget, and the tree is at most 128 bits deep: a hostile
/// file costs as little as a good one.
struct MMDBReader: Sendable {
    private let file: MMDBFile
    private let nodeCount: Int
    /// Bits of one record: 24, 28 or 32. A node has two.
    private let recordBits: Int
    private let isIPv6: Bool
    /// Where the data section begins.
    private let dataStart: Int
    /// Such as `GeoLite2-City`.
    let databaseType: String

    /// Before the metadata, which are the last part of the file.
    static let marker: [UInt8] = [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8)
    /// Zero bytes between the tree and the data.
    private static let separatorBytes = 16

    /// - Returns: `nil` if it is no such file.
    init?(_ file: MMDBFile) {
        self.file = file
        let tailSize = min(file.size, Limits.countryMetadataBytesMax)
        guard let tail = file.bytes(at: file.size - tailSize, count: tailSize),
            let position = Self.lastMarker(in: tail)
        else { return nil }
        let metadataStart = file.size - tailSize + position + Self.marker.count
        var decoder = MMDBDecoder(file, start: metadataStart, end: file.size)
        guard case .map(let metadata) = decoder.value(at: metadataStart),
            metadata["binary_format_major_version"]?.integer == 2,
            let nodes = metadata["node_count"]?.integer, nodes > 0,
            let bits = metadata["record_size"]?.integer, [24, 28, 32].contains(bits),
            let version = metadata["ip_version"]?.integer, [4, 6].contains(version),
            let type = metadata["database_type"]?.text
        else { return nil }
        // No product overflows: the count fits the file.
        guard nodes <= file.size, nodes * bits / 4 + Self.separatorBytes <= metadataStart - Self.marker.count else {
            return nil
        }
        nodeCount = nodes
        recordBits = bits
        isIPv6 = version == 6
        dataStart = nodes * bits / 4 + Self.separatorBytes
        databaseType = type
    }

    /// Where an address is.
    ///
    /// - Parameter address: 4 or 16 bytes.
    /// - Returns: `nil` if the file does not know it, or is damaged there.
    func place(of address: [UInt8]) -> NetworkLocation? {
        guard let offset = dataOffset(of: address) else { return nil }
        var decoder = MMDBDecoder(file, start: dataStart, end: file.size)
        guard let record = decoder.value(at: offset) else { return nil }
        let country = record["country"]?["iso_code"]?.text.flatMap(Self.country)
        var coordinates: Coordinates?
        if let location = record["location"], let latitude = location["latitude"]?.number,
            let longitude = location["longitude"]?.number
        {
            coordinates = Coordinates(latitude: latitude, longitude: longitude)
        }
        return NetworkLocation(country: country, coordinates: coordinates)
    }

    /// Two capital letters; `nil` for anything else.
    private static func country(_ text: String) -> String? {
        text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? text : nil
    }

    private func dataOffset(of address: [UInt8]) -> Int? {
        guard address.count == 4 || isIPv6 else { return nil }
        // IPv4 is in the last 32 bits of ::/96.
        let bytes = isIPv6 && address.count == 4 ? [UInt8](repeating: 0, count: 12) + address : address
        var node = 0
        for bit in 0..<(8 * bytes.count) {
            let isRight = bytes[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
            guard let next = record(of: node, isRight: isRight) else { return nil }
            if next > nodeCount { return dataStart + next - nodeCount - Self.separatorBytes }
            guard next < nodeCount else { return nil }
            node = next
        }
        return nil
    }

    private func record(of node: Int, isRight: Bool) -> Int? {
        let size = recordBits / 4
        guard let bytes = file.bytes(at: node * size, count: size) else { return nil }
        func number(_ part: some Sequence<UInt8>) -> Int { part.reduce(0) { $0 << 8 | Int($1) } }
        switch recordBits {
        case 28:
            // The middle byte has the highest four bits of each.
            let high = Int(isRight ? bytes[3] & 0x0F : bytes[3] >> 4)
            return high << 24 | number(isRight ? bytes[4...] : bytes[..<3])
        default:
            return number(isRight ? bytes[(size / 2)...] : bytes[..<(size / 2)])
        }
    }

    private static func lastMarker(in tail: [UInt8]) -> Int? {
        guard tail.count >= marker.count else { return nil }
        for start in stride(from: tail.count - marker.count, through: 0, by: -1)
        where tail[start] == marker[0] && tail[start..<(start + marker.count)].elementsEqual(marker) {
            return start
        }
        return nil
    }
}
