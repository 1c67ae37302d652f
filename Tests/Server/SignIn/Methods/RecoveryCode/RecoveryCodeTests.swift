import KeyturnBase
import Testing
@testable import Model
@testable import SignIn

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private let user = UserID(rawValue: "U1")

    private func secrets(_ seeds: UInt8...) throws -> ServerSecrets {
        try #require(ServerSecrets(seeds.map { [UInt8](repeating: $0, count: 32) }))
    }

    @Test func `a set has ten different codes of 60 bits, without look-alikes`() {
        let texts = RecoveryCode.makeSet(.live).map { $0.text.exposed() }
        #expect(Set(texts).count == 10)
        for text in texts {
            #expect(text.wholeMatch(of: #/[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}/#) != nil)
        }
    }

    @Test func `every character of the alphabet occurs`() {
        var seen: Set<Character> = []
        for _ in 0..<40 { RecoveryCode.makeSet(.live).forEach { seen.formUnion($0.text.exposed()) } }
        #expect(seen.count == 33)
    }

    @Test func `what people type is the same code`() throws {
        let secrets = try secrets(1)
        let code = RecoveryCode.makeSet(.live)[0]
        let text = code.text.exposed()
        let bare = text.filter { $0 != "-" }
        for typed in [text, bare, text.lowercased(), " \(bare.lowercased()) ", text.replacing("-", with: " - ")] {
            let read = try #require(RecoveryCode(typed: Secret(typed)))
            #expect(read.digest(of: user, under: secrets) == code.digest(of: user, under: secrets))
        }
        let wrong = [
            "", String(bare.dropLast()), bare + "A", "0" + bare.dropFirst(), String(repeating: "-", count: 99),
        ]
        for typed in wrong {
            #expect(RecoveryCode(typed: Secret(typed)) == nil)
        }
    }

    @Test func `a digest belongs to one code, one person and one server`() throws {
        let codes = RecoveryCode.makeSet(.live)
        let digest = codes[0].digest(of: user, under: try secrets(1))
        #expect(digest.count == 32)
        #expect(digest != codes[1].digest(of: user, under: try secrets(1)))
        #expect(digest != codes[0].digest(of: UserID(rawValue: "U2"), under: try secrets(1)))
        #expect(digest != codes[0].digest(of: user, under: try secrets(2)))
    }

    @Test func `codes outlive a change of the server's secret`() throws {
        let code = RecoveryCode.makeSet(.live)[0]
        let old = code.digest(of: user, under: try secrets(1))
        #expect(code.digests(of: user, under: try secrets(2, 1)).contains(old))
        #expect(!code.digests(of: user, under: try secrets(2)).contains(old))
    }

    @Test func `a code is not printed`() {
        let code = RecoveryCode.makeSet(.live)[0]
        #expect("\(code) \(String(reflecting: code)) \(code.text)".contains(code.text.exposed().prefix(4)) == false)
    }
}
