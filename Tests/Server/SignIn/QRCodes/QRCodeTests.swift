import Foundation
import KeyturnBase
import KeyturnQRCode
import Testing
@testable import Model
@testable import SignIn

@Suite("Key URIs and their pictures")
struct QRCodeTests {
    private static let secret = TOTPSecret(bytes: Array("12345678901234567890".utf8))

    private func uri(_ issuer: String, _ account: String) throws -> String {
        KeyURI.make(TOTPCode(try #require(Self.secret)), issuer: issuer, account: account).exposed()
    }

    @Test func `the address says everything, in the form that apps read`() throws {
        #expect(
            try uri("Example", "alice@example.com")
                == "otpauth://totp/Example:alice%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example"
                + "&algorithm=SHA1&digits=6&period=30")
    }

    @Test func `names are percent-encoded, and cannot change the label or the query`() throws {
        let text = try uri("Käse & Co: Ltd+1/2", "a:b?secret=AAAA&x=%41#f")
        #expect(
            text.hasPrefix(
                "otpauth://totp/K%C3%A4se%20%26%20Co%20Ltd%2B1%2F2:a%20b%3Fsecret%3DAAAA%26x%3D%2541%23f?secret=GEZD"))
        let parts = try #require(URLComponents(string: text))
        #expect(parts.queryItems?.count { $0.name == "secret" } == 1)
        #expect(parts.queryItems?.first { $0.name == "issuer" }?.value == "Käse & Co Ltd+1/2")
        #expect(try uri("", "alice").hasPrefix("otpauth://totp/alice?secret="))
        #expect(try uri("A\nB\u{7}", "x").hasPrefix("otpauth://totp/A%20B:x?"))
    }

    @Test func `names without end still fit`() throws {
        let text = try uri(String(repeating: "é", count: 5_000), String(repeating: "👨‍👩‍👧‍👦", count: 5_000))
        #expect(text.utf8.count <= 3 * 3 * Limits.keyURINameBytesMax + 200)
        #expect(QRCode(text) != nil)
    }

    @Test func `the picture is a PNG of whole modules with four white ones around it`() throws {
        let code = try #require(QRCode("A"))
        #expect(code.width == 21)
        let png = code.png()
        #expect(Array(png[..<8]) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let side = png[16..<20].reduce(0) { $0 << 8 | Int($1) }
        #expect(side == 29 * 8)
        #expect(side == png[20..<24].reduce(0) { $0 << 8 | Int($1) })
        // Finder patterns: dark at three corners.
        #expect(code.modules[0] && code.modules[20] && code.modules[20 * 21])
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 2_331)) != nil)
        #expect(QRCode(String(repeating: "a", count: 2_332)) == nil)
    }

    @Test func `the image for pages draws the dark modules and nothing else`() throws {
        let code = try #require(QRCode("otpauth://totp/x"))
        let svg = code.svg()
        #expect(svg.contains("viewBox=\"0 0 \(code.width + 8) \(code.width + 8)\""))
        let runs = svg.matches(of: #/M(\d+) (\d+)h(\d+)v1H(\d+)z/#)
        var dark: Set<[Int]> = []
        for run in runs {
            let (x, y) = (try #require(Int(run.1)), try #require(Int(run.2)))
            for offset in 0..<(try #require(Int(run.3))) { dark.insert([x + offset - 4, y - 4]) }
            #expect(run.4 == run.1)
        }
        let expected = (0..<code.width).flatMap { y in
            (0..<code.width).filter { code.modules[y * code.width + $0] }.map { [$0, y] }
        }
        #expect(dark == Set(expected))
    }

    @Test(
        .enabled(if: Program.find("zbarimg") != nil, "needs zbarimg of zbar-tools"),
        arguments: [("Example", "alice@example.com"), ("Ein längerer Name", "Müller & Söhne <büro@example.org>")])
    func `a reader of pictures finds the address again`(_ issuer: String, _ account: String) throws {
        let address = try uri(issuer, account)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try #require(QRCode(address)).png()).write(to: file)
        let found = try Program.run("zbarimg", ["--quiet", "--raw", "--nodbus", file.path])
        #expect(found == address)
    }

    @Test(.enabled(if: Program.find("oathtool") != nil, "needs oathtool"))
    func `another generator shows the same codes`() throws {
        for (index, algorithm) in TOTPCode.Algorithm.allCases.enumerated() {
            let secret = TOTPSecret.make(.live)
            let digits = 6 + index
            let code = try #require(
                TOTPCode(imported: secret, algorithm: algorithm, digits: digits, periodSeconds: 30))
            for time in [0, 59, 1_700_000_000, 4_102_444_800] as [Int64] {
                let shown = try Program.run(
                    "oathtool",
                    [
                        "--totp=\(algorithm.rawValue)", "--base32", "--digits=\(digits)", "--now=@\(time)",
                        secret.base32.exposed(),
                    ])
                #expect(code.code(at: UnixTime(rawValue: time)).exposed() == shown)
            }
        }
    }
}

/// Programs of the system that check ours.
enum Program {
    static func find(_ name: String) -> String? {
        ["/usr/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// What it prints, without the last line end.
    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(find(name)))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
