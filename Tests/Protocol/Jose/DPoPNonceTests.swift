import KeyturnBase
import KeyturnJose
import Testing

@Suite("DPoP nonces, RFC 9449 §8")
struct DPoPNonceTests {
    static let now = DPoPSample.now
    static let secret = [UInt8](repeating: 7, count: 32)
    let nonces = DPoPNonces(secret: secret)

    @Test(arguments: [(-11, false), (-10, true), (0, true), (300, true), (301, false), (100_000, false)])
    func `a nonce is good for five minutes`(_ offset: Int64, _ isGood: Bool) {
        let nonce = nonces.issue(at: Self.now)
        #expect(nonces.time(of: nonce, at: Self.now + offset) == (isGood ? Self.now : nil))
        #expect(nonce.utf8.count == 32)
    }

    @Test func `a new one is handed out in the second half of its time`() {
        #expect(!nonces.isStale(Self.now, at: Self.now + 150))
        #expect(nonces.isStale(Self.now, at: Self.now + 151))
    }

    @Test func `servers that share a secret know each other's nonces, and no others`() {
        let nonce = nonces.issue(at: Self.now)
        #expect(DPoPNonces(secret: Self.secret).time(of: nonce, at: Self.now) == Self.now)
        #expect(DPoPNonces(secret: [UInt8](repeating: 8, count: 32)).time(of: nonce, at: Self.now) == nil)
    }

    @Test func `63: a nonce that was changed is none of ours`() {
        let nonce = nonces.issue(at: Self.now)
        for index in nonce.indices {
            let changed = nonce[..<index] + (nonce[index] == "A" ? "B" : "A") + nonce[nonce.index(after: index)...]
            #expect(nonces.time(of: String(changed), at: Self.now) == nil)
        }
        for other in ["", nonce + "A", String(nonce.dropLast()), nonce + "=", " " + nonce, nonce.lowercased()] {
            #expect(nonces.time(of: other, at: Self.now) == nil)
        }
    }

    @Test func `the ends of time do not trap`() {
        for time in [UnixTime(rawValue: .min), UnixTime(rawValue: .max), UnixTime(rawValue: -1)] {
            let nonce = nonces.issue(at: time)
            #expect(nonces.time(of: nonce, at: time) == time)
            #expect(nonces.time(of: nonce, at: Self.now) == nil)
        }
    }

    @Test func `nothing of the secret is printed`() {
        #expect("\(nonces)" == "DPoPNonces")
        #expect(Mirror(reflecting: nonces).children.isEmpty)
    }
}
