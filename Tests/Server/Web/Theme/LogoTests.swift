import Testing

@testable import Web

@Suite("Themes: logos")
struct LogoTests {
    static let svg = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A comment. -->
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox='0 0 8 8'>
        <title>Harbour &amp; Sons</title><style>.a { fill: url(#g); }</style>
        <defs><linearGradient id="g"><stop offset="0" stop-color="#123"/></linearGradient></defs>
        <path class="a" d="M0 0h8v8z"/><use xlink:href="#g" href="#g"/></svg>

        """

    /// A PNG of so many pixels, without pixels: what the check looks at.
    static func png(width: UInt8 = 8, bytes: Int = 0) -> [UInt8] {
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            [0, UInt8(data.count >> 16), UInt8(data.count >> 8 & 255), UInt8(data.count & 255)] + Array(name.utf8)
                + data + [0, 0, 0, 0]
        }
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", [0, 0, 0, width, 0, 0, 0, 8, 8, 6, 0, 0, 0])
            + chunk("IDAT", .init(repeating: 0, count: bytes))
            + chunk("IEND", [])
    }

    private func problem(_ bytes: [UInt8]) -> LogoProblem? {
        do throws(LogoProblem) {
            _ = try ThemeLogo(bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    private func problem(inside content: String, attributes: String = "") -> String {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(content)</svg>"
        return problem(Array(text.utf8))?.detail ?? ""
    }

    @Test func `pictures that only draw are taken`() throws {
        #expect(try ThemeLogo(bytes: Array(Self.svg.utf8)).format == .svg)
        #expect(try ThemeLogo(bytes: Self.png()).format == .png)
        #expect(problem(inside: "<g><rect width=\"1\" height='2' style=\"fill: #fff\"/></g>") == "")
        #expect(problem(inside: "<style><![CDATA[.a > .b { fill: red }]]></style>") == "")
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "<script>"), ("<script href=\"#a\"/>", "<script>"),
        ("<s:script xmlns:s=\"http://www.w3.org/2000/svg\"/>", "<s:script>"), ("<SCRIPT/>", "<SCRIPT>"),
        ("<foreignObject><p/></foreignObject>", "<foreignObject>"), ("<image href=\"data:,\"/>", "<image>"),
        ("<animate attributeName=\"href\"/>", "<animate>"), ("<set/>", "<set>"), ("<a href=\"#x\"/>", "<a>"),
        ("<iframe/>", "<iframe>"), ("<path onclick=\"x()\"/>", "onclick"), ("<path ONLOAD=\"x()\"/>", "ONLOAD"),
        ("<use xlink:href=\"http://evil.test/x.svg#a\"/>", "outside the file"),
        ("<use href=\"https://evil.test/x.svg#a\"/>", "outside the file"),
        ("<use href=\"//evil.test\"/>", "//evil.test"),
        ("<use x:href=\"&#104;ttp://evil.test\"/>", "http://evil.test"),
        ("<use href=\"data:image/svg+xml,x\"/>", "data:"),
        ("<use href=\" #a\"/>", "outside"), ("<use href=\"\"/>", "outside"),
        ("<g xml:base=\"https://evil.test/\"/>", "xml:base"),
        ("<path fill=\"url(https://evil.test/#a)\"/>", "evil.test"),
        ("<path fill=\"URL( 'http://evil.test' )\"/>", "evil.test"),
        ("<style>@import 'https://evil.test';</style>", "@import"), ("<style>@im<!-- -->port 'x';</style>", "@import"),
        ("<style>@im<![CDATA[port]]> 'x';</style>", "@import"), ("<style>a { fill: u\\72l(x) }</style>", "\\"),
        ("<style>a { background: image-set('x' 1x) }</style>", "image-set("),
        ("<style><g/></style>", "style has elements"),
        ("<g style=\"fill: url(//evil.test)\"/>", "evil.test"),
        ("<g xmlns=\"http://www.w3.org/1999/xhtml\"/>", "language"),
        ("<text>&xxe;</text>", "entity &xxe;"), ("<?xml-stylesheet href=\"x\"?>", "processing instruction"),
        ("<!ENTITY a \"b\">", "declaration"), ("<path d=\"javascript:x\"/>", "javascript:"),
    ])
    func `what does more than draw is refused, and the reason is named`(_ content: String, _ reason: String) {
        let found = problem(inside: content, attributes: "xmlns:xlink=\"http://www.w3.org/1999/xlink\"")
        #expect(found.contains(reason), "\(content): \(found)")
    }

    @Test(arguments: [
        "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        "<?xml version=\"1.0\"?><!DOCTYPE svg SYSTEM \"http://evil.test/x.dtd\"><svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><g></svg>", "<svg xmlns=\"http://www.w3.org/2000/svg\">",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/><svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>text", "<svg/>", "<html/>", "", "not a picture",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" a=\"1\" a=\"2\"/>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" a=1/>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"&#xD800;\"/></svg>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><g",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- </svg>",
    ])
    func `documents with declarations, and broken ones, are refused`(_ text: String) {
        #expect(problem(Array(text.utf8)) != nil)
    }

    @Test func `a document type is named`() {
        let text = "<!DOCTYPE svg><svg xmlns=\"http://www.w3.org/2000/svg\"/>"
        #expect(problem(Array(text.utf8))?.detail.contains("<!DOCTYPE") == true)
    }

    @Test func `a file has at most 64 KiB, and a bounded depth`() {
        let base = Self.png().count
        #expect(problem(Self.png(bytes: 65_536 - base)) == nil)
        #expect(problem(Self.png(bytes: 65_537 - base))?.detail == "it has 65537 bytes")
        let deep = { String(repeating: "<g>", count: $0) + String(repeating: "</g>", count: $0) }
        #expect(problem(inside: deep(63)) == "" && problem(inside: deep(64)).contains("nested"))
    }

    @Test func `what is drawn again and again is bounded`() {
        let uses = { String(repeating: "<use href=\"#a\"/>", count: $0) }
        #expect(problem(inside: uses(16)) == "" && problem(inside: uses(17)).contains("<use>"))
    }

    @Test func `a PNG is whole, and no other file hides behind it`() {
        let png = Self.png(bytes: 9)
        #expect(problem(png) == nil && problem(png + Array("<script>".utf8)) != nil)
        for count in 8..<png.count { #expect(problem(Array(png.prefix(count))) != nil, "\(count)") }
        #expect(problem(Self.png(width: 0)) != nil)
        var large = png
        large[18] = 9  // 2304 pixels and 8 wide
        #expect(problem(large)?.detail.contains("pixels") == true)
        #expect(problem([0xff, 0xd8, 0xff, 0xe0])?.detail == "it is neither PNG nor SVG in UTF-8")
    }
}
