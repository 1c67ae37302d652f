import Foundation
import KeyturnBase
import Model
import ServerTesting
import Testing

/// Files that the test writes byte by byte.
@Suite("The country database")
struct CountryDatabaseTests {
    private func opened(_ file: CountryFile) throws -> CountryDatabase {
        try CountryDatabase(path: try file.write())
    }

    private func refusal(_ bytes: [UInt8]) throws -> String? {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        do throws(CountryDatabase.Unusable) {
            _ = try CountryDatabase(path: path)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func country(_ database: CountryDatabase, _ address: String) -> String? {
        database.place(of: NetworkAddress(address)).country
    }

    @Test(arguments: [24, 28, 32], [4, 6] as [UInt64])
    func `networks have countries, in every size of record`(_ bits: Int, _ version: UInt64) throws {
        var file = CountryFile()
        (file.recordBits, file.version) = (bits, version)
        file.add("192.0.2.0", 24, CountryFile.place("DE", 52.52, 13.4))
        file.add("198.51.100.128", 25, CountryFile.place("FR"))
        file.add("203.0.113.7", 32, CountryFile.place("JP"))
        if version == 6 { file.add("2001:db8::", 32, CountryFile.place("NZ", -41.3, 174.8)) }
        let database = try opened(file)
        #expect(
            database.place(of: NetworkAddress("192.0.2.255"))
                == NetworkLocation(country: "DE", coordinates: Coordinates(latitudeTenths: 525, longitudeTenths: 134)))
        #expect(country(database, "::ffff:192.0.2.1") == "DE")
        #expect(country(database, "192.0.3.0") == nil)
        #expect(country(database, "198.51.100.127") == nil && country(database, "198.51.100.128") == "FR")
        #expect(country(database, "203.0.113.7") == "JP" && country(database, "203.0.113.6") == nil)
        #expect(country(database, "2001:db8:1::1") == (version == 6 ? "NZ" : nil))
        #expect(country(database, "nowhere") == nil)
    }

    @Test func `a file that was replaced is read again, and one that cannot be used is not`() throws {
        var file = CountryFile()
        file.add("192.0.2.0", 24, CountryFile.place("DE"))
        let path = try file.write()
        let database = try CountryDatabase(path: path)
        #expect(country(database, "192.0.2.1") == "DE")
        var next = CountryFile()
        next.add("192.0.2.0", 24, CountryFile.place("SE", 59.3, 18.1))
        _ = try next.write(to: path)
        #expect(country(database, "192.0.2.1") == "SE")
        try Data("not a database".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(country(database, "192.0.2.1") == "SE")
        try FileManager.default.removeItem(atPath: path)
        #expect(country(database, "192.0.2.1") == "SE")
    }

    @Test func `a file that is no country database is refused`() throws {
        #expect(throws: CountryDatabase.Unusable.self) { try CountryDatabase(path: "/nowhere/countries.mmdb") }
        #expect(throws: CountryDatabase.Unusable.self) { try CountryDatabase(path: "/tmp") }
        var good = CountryFile()
        good.add("192.0.2.0", 24, CountryFile.place("DE"))
        #expect(try refusal(good.bytes) == nil)
        #expect(try refusal([]) != nil)
        #expect(try refusal(Array("MaxMind.com".utf8)) != nil)
        #expect(try refusal(Array(good.bytes.dropLast(4))) != nil, "cut")
        let changes: [(inout CountryFile) -> Void] = [
            { $0.type = "Test-ASN" }, { $0.formatVersion = 3 }, { $0.recordBits = 16 }, { $0.version = 5 },
            { $0.claimedNodes = 0 }, { $0.claimedNodes = 4_294_967_295 }, { $0.claimedNodes = 100_000 },
        ]
        for (number, change) in changes.enumerated() {
            var file = good
            change(&file)
            #expect(try refusal(file.bytes) != nil, "\(number)")
        }
    }

    @Test func `hostile records are unknown places, and cost little`() throws {
        let deep = (0..<400).flatMap { _ -> [UInt8] in [0xE1, 0x41, 0x61] }
        let hostile: [(String, [UInt8])] = [
            ("a pointer to itself", [0x20, 0x00]), ("a map beyond the end", [0xFF, 0xFF, 0xFF, 0xFF]),
            ("a text beyond the end", [0x5F, 0xFF, 0xFF, 0xFF]), ("no value", []),
            ("maps within maps", deep), ("a map whose key is a number", [0xE1, 0xA1, 0x01, 0xA1, 0x01]),
            ("an unknown kind", [0x00, 0xFF]), ("an end marker", [0x00, 0x06]),
            ("text that is no UTF-8", [0xE1, 0x42, 0xFF, 0xFE, 0x40]),
            // Each of 16 777 215 members is a pointer to the map.
            ("a map of itself", [0xFF, 0xFE, 0xFE, 0xFE] + [UInt8](repeating: 0x20, count: 64)),
        ]
        for (name, bytes) in hostile {
            var file = CountryFile()
            file.add("192.0.2.0", 24, .raw(bytes))
            #expect(try opened(file).place(of: NetworkAddress("192.0.2.1")) == .unknown, "\(name)")
        }
    }

    @Test func `a tree that loops, or leads out of the file, is unknown`() throws {
        var loop = CountryFile()
        loop.add("192.0.2.0", 24, CountryFile.place("DE"))
        var bytes = loop.bytes
        // The first node leads to itself.
        for index in 0..<6 { bytes[index] = 0 }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try CountryDatabase(path: path).place(of: NetworkAddress("192.0.2.1")) == .unknown)
        var far = CountryFile()
        far.point("192.0.2.0", 24, at: 9_000_000)
        #expect(try opened(far).place(of: NetworkAddress("192.0.2.1")) == .unknown)
    }

    @Test func `what is no country, or no place on Earth, is left out`() throws {
        for (country, known) in [("DE", true), ("de", false), ("DEU", false), ("Ö", false), ("D\u{0}", false)] {
            var file = CountryFile()
            file.add("192.0.2.0", 24, CountryFile.place(country, 91, 0))
            let place = try opened(file).place(of: NetworkAddress("192.0.2.1"))
            #expect(place == NetworkLocation(country: known ? country : nil), "\(country)")
        }
        for (latitude, longitude) in [(Double.nan, 0.0), (0, .infinity), (90.1, 0), (0, -180.1)] {
            #expect(Coordinates(latitude: latitude, longitude: longitude) == nil)
        }
    }

    @Test func `members may be pointers, as real files have them, but no chains of them`() throws {
        var file = CountryFile()
        file.add("198.51.100.0", 24, .map([("iso_code", .text("DE"))]))
        file.add("192.0.2.0", 24, .map([("country", .pointer(0))]))
        file.add("203.0.113.0", 24, .pointer(0))
        #expect(country(try opened(file), "192.0.2.1") == "DE")
        var chain = CountryFile()
        chain.add("198.51.100.0", 24, .pointer(2))
        chain.add("192.0.2.0", 24, CountryFile.place("DE"))
        chain.add("203.0.113.0", 24, .pointer(0))
        #expect(country(try opened(chain), "198.51.100.1") == "DE")
        #expect(country(try opened(chain), "203.0.113.1") == nil)
    }
}
