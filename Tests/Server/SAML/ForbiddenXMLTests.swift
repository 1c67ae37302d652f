import Foundation
import SAML
import Testing

@Suite("XML that is never read")
struct ForbiddenXMLTests {
    private static func refuses(_ text: String, _ codes: String..., location: SourceLocation = #_sourceLocation) {
        refuses(Array(text.utf8), codes, location: location)
    }

    private static func refuses(_ bytes: [UInt8], _ codes: [String], location: SourceLocation = #_sourceLocation) {
        do throws(SAMLFault) {
            _ = try XMLElement.read(bytes)
            Issue.record("read", sourceLocation: location)
        } catch {
            #expect(codes.contains(error.code), "\(error.code)", sourceLocation: location)
        }
    }

    @Test func `S-19, S-24: document types and entities`() {
        Self.refuses("<!DOCTYPE r><r/>", "forbidden")
        Self.refuses(#"<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>"#, "forbidden")
        Self.refuses(#"<!DOCTYPE r SYSTEM "http://127.0.0.1:1/x.dtd"><r/>"#, "forbidden")
        Self.refuses(#"<!DOCTYPE r [<!ATTLIST r ID ID #IMPLIED>]><r ID="a"/>"#, "forbidden")
        Self.refuses("<r>&a;</r>", "malformed", "forbidden")
    }

    @Test func `S-17: processing instructions`() {
        Self.refuses("<r><?php echo ?></r>", "forbidden")
    }

    @Test func `S-21: inclusions and places of schemas are elements and attributes like others`() throws {
        let text = """
            <r xmlns:i="http://www.w3.org/2001/XInclude" xmlns:s="http://www.w3.org/2001/XMLSchema-instance" \
            xml:base="http://127.0.0.1:1/" s:schemaLocation="urn:x http://127.0.0.1:1/x.xsd">\
            <i:include href="file:///etc/passwd" parse="text"/></r>
            """
        let root = try XMLElement.read(Array(text.utf8))
        #expect(root.text.isEmpty && root.all("include", "http://www.w3.org/2001/XInclude").count == 1)
    }

    @Test func `S-20: depth, breadth and size`() {
        let deep = 70
        Self.refuses(
            String(repeating: "<a>", count: deep) + String(repeating: "</a>", count: deep), "too_large", "malformed")
        Self.refuses("<r>" + String(repeating: "<a/>", count: 4_001) + "</r>", "too_large")
        Self.refuses("<r \((0...100).map { "a\($0)='x'" }.joined(separator: " "))/>", "too_large")
        Self.refuses("<r \((0...40).map { "xmlns:a\($0)='urn:x'" }.joined(separator: " "))/>", "too_large")
        Self.refuses("<r a='" + String(repeating: "x", count: 1_100_000) + "'/>", "too_large")
        let deepest = String(repeating: "<a>", count: 100_000)
        Self.refuses(deepest, "too_large", "malformed")
    }

    @Test func `S-22: two roots, rubbish, other encodings`() {
        Self.refuses("<r/><r/>", "malformed")
        Self.refuses("<r/>x", "malformed")
        Self.refuses("<r>", "malformed")
        Self.refuses("", "too_large")
        Self.refuses("<a:r/>", "malformed")
        Self.refuses(#"<?xml version="1.0" encoding="UTF-16"?><r/>"#, "malformed")
        Self.refuses(#"<?xml version="1.0" encoding="ISO-8859-1"?><r/>"#, "malformed")
        Self.refuses([0x3C, 0x72, 0xFF, 0x2F, 0x3E], ["encoding"])
        Self.refuses(Array("<r>\u{0}</r>".utf8), ["malformed"])
        Self.refuses("<r xmlns='x'/>", "forbidden")
    }

    @Test func `names are compared by namespace, not by prefix`() throws {
        let root = try XMLElement.read(
            Array(#"<a:r xmlns:a="urn:x" a:ID="1" ID="2">t<!-- c -->u<![CDATA[<v>]]></a:r>"#.utf8))
        #expect(root.isNamed("r", "urn:x") && root["ID"] == "2" && root.text == "tu<v>")
    }

    @Test func `S-22: a redefined prefix does not make an assertion`() throws {
        let text = try TestProvider.signed().changing(
            "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"",
            "<saml:Assertion xmlns:saml=\"urn:evil\"")
        TestProvider.refuses(text, "order", "assertions", "no_assertion")
    }

    @Test func `S-49: a bomb in a redirect`() throws {
        let bomb = try XMLLibrary.deflate([UInt8](repeating: 0x41, count: 1_000_000))
        #expect(throws: SAMLFault("too_large")) { try XMLLibrary.inflate(bomb) }
        let message = Array("<r/>".utf8)
        #expect(try XMLLibrary.inflate(try XMLLibrary.deflate(message)) == message)
    }

    @Test func `S-52: what is too long or no base64 is refused before it is parsed`() {
        let reader = TestProvider.reader()
        let asked = ResponseReader.Asked(id: "_request", at: TestProvider.now)
        for (text, code) in [
            (String(repeating: "A", count: 262_145), "too_large"), ("", "too_large"), ("A B=", "base64"),
            ("%", "base64"),
            (String(repeating: "A", count: 262_144), "malformed"),
        ] {
            #expect(throws: SAMLFault(code)) { try reader.profile(from: text, asked: asked, now: TestProvider.now) }
        }
    }

    @Test func `S-48: what we write is escaped`() throws {
        var writer = XMLWriter()
        writer.element("r", [("a", "\"<&>'\n")], text: "<x>&amp;\u{1}")
        let root = try XMLElement.read(writer.bytes)
        #expect(root["a"] == "\"<&>'\n" && root.text == "<x>&amp;" && root.children.isEmpty)
    }
}
