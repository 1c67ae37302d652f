import KeyturnBase
import Model
import ServerTesting
import Testing

/// The token of the link that disputes a sign-in.
@Suite("A disputed sign-in's token")
struct SignInDisputeTests {
    private static let user = UserID(rawValue: "user")
    private static let reader = Identifier(kind: .email, storedValue: "andy@example.com")

    private func seal(_ clock: VirtualClock) throws -> SignInDisputeSeal {
        SignInDisputeSeal(try #require(ServerSecrets([clock.ambient.randomBytes(32)])), ambient: clock.ambient)
    }

    @Test func `it works until its second, and names one sign-in`() throws {
        let clock = VirtualClock()
        let seal = try seal(clock)
        let token = seal.token(for: Self.user, sentTo: Self.reader, signedInAt: clock.now, startedAt: clock.now - 60)
        let end = clock.now + Limits.disputeSeconds
        let dispute = try #require(seal.open(token, at: end - 1))
        #expect(dispute.userID == Self.user && dispute.signedInAt == clock.now && dispute.expiresAt == end)
        #expect(dispute.startedAt == clock.now - 60 && dispute.recipient == Self.reader)
        #expect(seal.open(token, at: end) == nil)
        let other = seal.token(for: Self.user, sentTo: Self.reader, signedInAt: clock.now, startedAt: clock.now - 60)
        #expect(try #require(seal.open(other, at: clock.now)).digest != dispute.digest)
    }

    @Test func `other texts are none`() throws {
        let clock = VirtualClock()
        let seal = try seal(clock)
        let token = seal.token(for: Self.user, sentTo: Self.reader, signedInAt: clock.now, startedAt: clock.now - 60)
            .exposed()
        let foreign = try self.seal(clock)
            .token(for: Self.user, sentTo: Self.reader, signedInAt: clock.now, startedAt: clock.now - 60).exposed()
        let changed = String(token.dropLast(3)) + (token.hasSuffix("AAA") ? "BBB" : "AAA")
        for text in ["", "A", String(token.dropLast()), changed, foreign, String(repeating: "A", count: 5_000)] {
            #expect(seal.open(Secret(text), at: clock.now) == nil, "\(text.prefix(20))")
        }
    }
}
