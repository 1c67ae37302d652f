import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Bringing in users: reading files")
struct ImportReadingTests {
    private func rows(_ text: String) throws -> [(line: Int, content: Result<[String: JSONValue], Refusal>)] {
        try rows(Array(text.utf8), chunk: 5)
    }

    private func rows(_ bytes: [UInt8], chunk: Int) throws
        -> [(line: Int, content: Result<[String: JSONValue], Refusal>)]
    {
        var position = 0
        var rows = try UserRows(
            {
                let end = min(position + chunk, bytes.count)
                defer { position = end }
                return Array(bytes[position..<end])
            }, format: nil)
        var result: [(line: Int, content: Result<[String: JSONValue], Refusal>)] = []
        while let row = try rows.next() { result.append((row.line, row.content)) }
        return result
    }

    @Test func `lines end with LF or CRLF, empty ones count and say nothing, the last needs no end`() throws {
        let rows = try rows("\u{FEFF}{\"sub\":\"1\"}\r\n\n  \n{\"sub\":\"2\"}")
        #expect(rows.map(\.line) == [1, 4])
        #expect(try rows.map { try $0.content.get()["sub"] } == ["1", "2"])
    }

    @Test func `a line that is no JSON object costs itself alone`() throws {
        let bytes =
            Array("{\"sub\":\"1\"}\n{\"sub\":\n[1]\n{\"sub\":\"a\",\"sub\":\"b\"}\n{\"sub\":\"".utf8)
            + [0xC3, 0x28] + Array("\"}\n{\"sub\":\"6\"}\n".utf8)
        let rows = try rows(bytes, chunk: 1_000)
        #expect(rows.map(\.line) == [1, 2, 3, 4, 5, 6])
        let isGood = rows.map { (try? $0.content.get()) != nil }
        #expect(isGood == [true, false, false, false, false, true])
        guard case .failure(let refusal) = rows[4].content else { return }
        #expect(refusal == .notUTF8)
    }

    @Test(arguments: [64, 100_000, 1_000_000])
    func `a huge line is refused without being held, and the next one is read`(_ chunk: Int) throws {
        let long = "{\"name\":\"" + String(repeating: "x", count: 2_000_000) + "\"}"
        let rows = try rows(Array("{\"sub\":\"1\"}\n\(long)\n{\"sub\":\"3\"}\n".utf8), chunk: chunk)
        #expect(rows.map(\.line) == [1, 2, 3])
        guard case .failure(let refusal) = rows[1].content else {
            Issue.record("a huge line was taken")
            return
        }
        #expect(refusal == .rowTooLong)
    }

    @Test func `CSV fields hold separators, quotation marks and line feeds in quotation marks`() throws {
        let rows = try rows("sub,name,email\r\n1,\"Ann \"\"A\"\", jr.\nx\",a@b.c\r\n2,,\n\n3,\"\",x@y.z")
        #expect(rows.map(\.line) == [2, 4, 6])
        let members = try rows.map { try $0.content.get() }
        #expect(members[0] == ["sub": "1", "name": "Ann \"A\", jr.\nx", "email": "a@b.c"])
        #expect(members[1] == ["sub": "2"], "an empty cell says nothing")
        #expect(members[2] == ["sub": "3", "email": "x@y.z"])
    }

    @Test(arguments: [",", ";", "\t"])
    func `CSV columns have their own types, whatever stands between them`(_ separator: String) throws {
        let names = ["login_ids", "email_verified", "roles", "tenants", "attributes.team", "address.country"]
        let cells = ["a@b.c|+4512345678", "yes", "admin", "ent-1|ent-2", "007", "DK"]
        let text = names.joined(separator: separator) + "\n" + cells.joined(separator: separator)
        let members = try #require(try rows(text).first).content.get()
        #expect(members["login_ids"] == ["a@b.c", "+4512345678"])
        #expect(members["email_verified"] == true)
        #expect(members["tenants"] == [["id": "ent-1"], ["id": "ent-2"]])
        #expect(members["attributes"] == ["team": "007"], "text stays text")
        #expect(members["address"] == ["country": "DK"])
    }

    @Test func `a quotation mark that is never closed costs its own line, not the rest of the file`() throws {
        let filler = (0..<3_000).map { "\($0),name \($0),x" }.joined(separator: "\n")
        let rows = try rows(Array("sub,name,nickname\n1,\"open,x\n\(filler)\n".utf8), chunk: 65_536)
        #expect(rows.count == 3_001)
        #expect(rows.filter { (try? $0.content.get()) == nil }.map(\.line) == [2])
        #expect(rows.last?.line == 3_002)
    }

    @Test func `a CSV row with too many fields, too few, or text after a quotation mark is refused`() throws {
        let rows = try rows("sub,name\n1\n2,b,c\n3,\"b\"x\n4,d\n")
        #expect(rows.map(\.line) == [2, 3, 4, 5])
        #expect(rows.map { (try? $0.content.get()) != nil } == [false, false, false, true])
    }

    @Test func `formulas are text, and stay what they are`() throws {
        let members = try #require(try rows("sub,name\n1,\"=HYPERLINK(\"\"http://x\"\")\"").first).content.get()
        #expect(members["name"] == "=HYPERLINK(\"http://x\")")
    }

    @Test(arguments: [
        ("sub,emial\n", "email"), ("sub,sub\n", "twice"), ("[{}]", "jq"), ("sub,plan\n", "attributes.NAME"),
    ])
    func `a file that cannot be what was meant is refused as a whole, saying what to do`(
        _ text: String, _ hint: String
    ) {
        let failure = #expect(throws: CommandFailure.self) { try rows(text) }
        #expect(failure?.code == 2)
        #expect(failure?.sentence.contains(hint) == true)
    }

    @Test func `compressed and UTF-16 files are recognised`() {
        for bytes: [UInt8] in [[0x1F, 0x8B, 8, 0], [0xFF, 0xFE, 0x7B, 0]] {
            let failure = #expect(throws: CommandFailure.self) { try rows(bytes, chunk: 100) }
            #expect(failure?.code == 2)
        }
    }
}
