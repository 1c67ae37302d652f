import KeyturnBase
import Model
import Testing

@Suite("Shadow rules: a copy of a refresh token that follows each rotation")
struct ShadowRulesTests {
    /// A grant, judged as the store does it.
    private final class Grant {
        var counter: Int64 = 0
        var rotations: [RefreshRules.Rotation] = []
        var refreshedBy = RefreshParty.unknown
        var run: ShadowRules.Run?
        var toldAt: UnixTime?
        var now: Int64 = 1_000

        /// One use of the token of `presented`; whether it is told.
        func use(_ presented: Int64, _ party: RefreshParty) -> Bool {
            let time = UnixTime(rawValue: now)
            if presented == counter {
                if rotations.first?.time != time {
                    rotations.insert(RefreshRules.Rotation(time: time, counter: counter), at: 0)
                }
                counter += 1
                refreshedBy = party
                return false
            }
            let finding = ShadowRules.judge(
                party, presented: presented, RefreshRules.Row(counter: counter, rotations: rotations),
                ShadowRules.Row(refreshedBy: refreshedBy, run: run, toldAt: toldAt), at: time)
            guard let finding else { return false }
            run = finding.run
            if finding.isTold { toldAt = time }
            return finding.isTold
        }

        /// Both use the current token, ten seconds apart, nine minutes after the rotation before.
        func rotate(_ first: RefreshParty, _ second: RefreshParty) -> Bool {
            now += 540
            let token = counter
            _ = use(token, first)
            now += 10
            return use(token, second)
        }
    }

    private static let owner = RefreshParty(network: "192.0.2.1", client: "Firefox on Linux")
    private static let thief = RefreshParty(network: "203.0.113.9", client: "Firefox on Linux")
    private static let other = RefreshParty(network: "203.0.113.10", client: "Firefox on Linux")

    @Test func `a thief who follows three rotations running is told at the third, once a day`() {
        let grant = Grant()
        let told = (0..<6).map { _ in grant.rotate(Self.owner, Self.thief) }
        #expect(told == [false, false, true, false, false, false])
        grant.now += ShadowRules.tellAgainSeconds - 3 * 550 - 551
        #expect(!grant.rotate(Self.owner, Self.thief), "the second before a day is over")
        #expect(grant.rotate(Self.owner, Self.thief))
    }

    @Test
    func `so is one who comes first each time, one in the same network with another client, and one of many networks`()
    {
        var grant = Grant()
        #expect((0..<3).map { _ in grant.rotate(Self.thief, Self.owner) } == [false, false, true])
        let curl = RefreshParty(network: "192.0.2.1", client: "curl")
        grant = Grant()
        #expect((0..<3).map { _ in grant.rotate(Self.owner, curl) } == [false, false, true])
        grant = Grant()
        let networks = (1...3).map { RefreshParty(network: "203.0.113.\($0)", client: "Firefox on Linux") }
        #expect(networks.map { grant.rotate(Self.owner, $0) } == [false, false, true])
    }

    @Test func `two who take turns in being first are told at the fifth rotation`() {
        let grant = Grant()
        let told = (0..<5).map { number in
            number.isMultiple(of: 2) ? grant.rotate(Self.owner, Self.thief) : grant.rotate(Self.thief, Self.owner)
        }
        #expect(told == [false, false, false, false, true])
    }

    @Test func `a rotation that the owner had alone begins the count anew`() {
        let grant = Grant()
        for _ in 0..<4 {
            #expect(!grant.rotate(Self.owner, Self.thief))
            #expect(!grant.rotate(Self.owner, Self.thief))
            #expect(!grant.rotate(Self.owner, Self.owner))
        }
    }

    @Test func `retries, tabs, another protocol and what is not known are one client`() {
        for party in [
            Self.owner, RefreshParty(network: "2001:db8:1:1::/64", client: "Firefox on Linux"), .unknown,
            RefreshParty(network: nil, client: "Firefox on Linux"), RefreshParty(network: "192.0.2.1", client: nil),
        ] {
            let grant = Grant()
            for _ in 0..<8 { #expect(!grant.rotate(Self.owner, party)) }
            #expect(grant.run == nil, "nothing is written for it")
        }
    }

    @Test func `a phone that moves at three rotations running, and goes on from there, is one client`() {
        let grant = Grant()
        let places = (1...4).map { RefreshParty(network: "198.51.100.\($0)", client: "okhttp") }
        #expect(zip(places, places.dropFirst()).map { grant.rotate($0, $1) } == [false, false, false])
        #expect(!grant.rotate(places[3], places[3]))
    }

    @Test func `an older request that arrives again and again counts once`() {
        let grant = Grant()
        _ = grant.use(0, Self.owner)
        for token in Int64(1)..<20 {
            _ = grant.use(token, Self.owner)
            #expect(!grant.use(0, Self.thief))
        }
        #expect(grant.run?.changes == 1)
    }

    @Test func `a thief with two networks cannot begin the count anew`() {
        let grant = Grant()
        var told: [Bool] = []
        for _ in 0..<5 {
            let token = grant.counter
            _ = grant.use(token, Self.thief)
            _ = grant.use(token + 1, Self.thief)
            told.append(grant.use(token + 1, Self.other))
            told.append(grant.use(token, Self.owner))
            grant.now += 540
        }
        #expect(told.count(where: \.self) == 1)
    }

    @Test func `a thief who skips quick rotations is told as well`() {
        let grant = Grant()
        var stolen: Int64 = 0
        let told = (0..<3).map { _ in
            for _ in 0..<4 {
                grant.now += 10
                _ = grant.use(grant.counter, Self.owner)
            }
            defer { stolen = grant.counter }
            return grant.use(stolen, Self.thief)
        }
        #expect(told == [false, false, true])
    }

    @Test func `what is kept of a party is short`() {
        let long = RefreshParty(
            network: "n" + String(repeating: "\u{301}", count: 5_000), client: String(repeating: "c", count: 500))
        #expect(long.network?.utf8.count == 63 && long.client?.utf8.count == RefreshParty.clientBytesMax)
        #expect(RefreshParty(network: long.network, client: long.client) == long)
    }
}
