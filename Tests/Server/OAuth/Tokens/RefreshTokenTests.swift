import KeyturnBase
import Model
import OAuth
import Testing

@Suite("Refresh tokens: version, grant, counter, MAC")
struct RefreshTokenTests {
    let old = [UInt8](repeating: 1, count: 32)
    let new = [UInt8](repeating: 2, count: 32)

    private func codec(_ secrets: [[UInt8]]) throws -> RefreshTokenCodec {
        RefreshTokenCodec(try #require(ServerSecrets(secrets)))
    }

    @Test func `a token is read as it was written`() throws {
        let codec = try codec([new])
        let token = RefreshToken(grantID: .make(.live), counter: 1_234_567_890_123)
        let text = codec.encode(token)
        #expect(text.utf8.count == 66)
        #expect(codec.decode(Secret(text)) == token)
        #expect(codec.encode(token) == text, "the same token can be derived again")
    }

    @Test func `attack 60: every changed character is noticed`() throws {
        let codec = try codec([new])
        let text = codec.encode(RefreshToken(grantID: .make(.live), counter: 7))
        for index in text.indices {
            for replacement in ["A", "-", "_", "z", "=", " "] where String(text[index]) != replacement {
                let changed = text.replacingCharacters(at: index, with: replacement)
                #expect(codec.decode(Secret(changed)) == nil)
            }
        }
        #expect(codec.decode(Secret("")) == nil)
        #expect(codec.decode(Secret(text + "A")) == nil)
        #expect(codec.decode(Secret(String(text.dropLast()))) == nil)
    }

    @Test func `new secrets open what old ones made, and others open nothing`() throws {
        let token = RefreshToken(grantID: .make(.live), counter: 3)
        let text = Secret(try codec([old]).encode(token))
        #expect(try codec([new, old]).decode(text) == token)
        #expect(try codec([new]).decode(text) == nil)
    }

    @Test func `secrets must be 32 bytes, at least one and at most eight`() {
        #expect(ServerSecrets([]) == nil)
        #expect(ServerSecrets([[UInt8](repeating: 0, count: 31)]) == nil)
        #expect(ServerSecrets([[UInt8]](repeating: old, count: 9)) == nil)
        #expect(ServerSecrets([[UInt8]](repeating: old, count: 8)) != nil)
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with text: String) -> String {
        self[..<index] + text + self[self.index(after: index)...]
    }
}
