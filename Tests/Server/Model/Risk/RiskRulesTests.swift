import KeyturnBase
import Testing

@testable import Model

/// Which signals the past gives.
@Suite("The signals of a sign-in")
struct RiskRulesTests {
    private static let now = UnixTime(rawValue: 1_795_000_000)
    private static let user = UserID(rawValue: "user")
    private static let berlin = Coordinates(latitude: 52.5, longitude: 13.4)
    private static let paris = Coordinates(latitude: 48.9, longitude: 2.4)
    private static let sydney = Coordinates(latitude: -33.9, longitude: 151.2)
    private static let own = DeviceMark.browser("own").digest(for: user)

    private func signals(
        _ device: SecretDigest? = own, _ place: NetworkLocation = .unknown, past: [PastSignIn]
    ) -> Set<RiskSignal> {
        RiskRules.signals(device: device, place: place, past: past, at: Self.now)
    }

    private func past(_ place: NetworkLocation = .unknown, secondsAgo: Int64 = 86_400, _ device: SecretDigest = own)
        -> PastSignIn
    {
        PastSignIn(device: device, place: place, at: Self.now - secondsAgo)
    }

    @Test func `a device is known by its mark, for each user alone`() {
        #expect(signals(past: [past()]) == [])
        #expect(signals(nil, past: [past()]) == [.newDevice])
        #expect(signals(past: []) == [.newDevice])
        let others = [
            DeviceMark.browser("own").digest(for: UserID(rawValue: "other")),
            DeviceMark.app("own").digest(for: Self.user), DeviceMark.browser("Own").digest(for: Self.user),
        ]
        for digest in others { #expect(signals(digest, past: [past()]) == [.newDevice]) }
        #expect(Set(others + [Self.own]).count == 4)
    }

    @Test func `a country is new only if another is known`() {
        let german = NetworkLocation(country: "DE")
        #expect(signals(Self.own, german, past: [past()]) == [])
        #expect(signals(Self.own, german, past: [past(german)]) == [])
        #expect(signals(Self.own, german, past: [past(NetworkLocation(country: "FR"))]) == [.newCountry])
        #expect(signals(Self.own, german, past: [past(NetworkLocation(country: "FR")), past(german)]) == [])
        #expect(signals(Self.own, .unknown, past: [past(german)]) == [])
    }

    @Test func `distances are those of the globe`() throws {
        let (berlin, paris, sydney) = (
            try #require(Self.berlin), try #require(Self.paris), try #require(Self.sydney)
        )
        #expect((870...890).contains(berlin.kilometres(to: paris)))
        #expect((16_000...16_200).contains(berlin.kilometres(to: sydney)))
        #expect(berlin.kilometres(to: berlin) == 0)
        #expect(abs(paris.kilometres(to: berlin) - berlin.kilometres(to: paris)) < 0.001)
        let east = try #require(Coordinates(latitude: 0, longitude: 179.9))
        let west = try #require(Coordinates(latitude: 0, longitude: -179.9))
        #expect(east.kilometres(to: west) < 25, "over the date line")
    }

    @Test func `travel is impossible above 1 000 km/h, from 500 km on`() {
        #expect(!RiskRules.isImpossible(1_000, inSeconds: 3_600))
        #expect(RiskRules.isImpossible(1_000, inSeconds: 3_599))
        #expect(!RiskRules.isImpossible(499.9, inSeconds: 0))
        #expect(RiskRules.isImpossible(500, inSeconds: 1_799))
        #expect(!RiskRules.isImpossible(500, inSeconds: 1_800))
        #expect(RiskRules.isImpossible(500, inSeconds: -60), "after a clock was set back")
    }

    @Test func `travel counts from the last sign-in that has a place`() {
        let (here, there) = (
            NetworkLocation(country: "DE", coordinates: Self.berlin),
            NetworkLocation(country: "DE", coordinates: Self.sydney)
        )
        #expect(signals(Self.own, here, past: [past(there, secondsAgo: 3_600)]) == [.impossibleTravel])
        #expect(signals(Self.own, here, past: [past(there, secondsAgo: 86_400)]) == [])
        let back = [past(there, secondsAgo: 3_600), past(here, secondsAgo: 60), past(secondsAgo: 10)]
        #expect(signals(Self.own, here, past: back) == [])
    }

    @Test func `a condition of a journey holds if any of its signals is there`() {
        var facts = JourneyFacts()
        let condition = JourneyCondition.risk([.newDevice, .impossibleTravel])
        #expect(!condition.holds(facts) && condition.needs == .user)
        facts.risks = [.breachedPassword]
        #expect(!condition.holds(facts))
        facts.risks = [.breachedPassword, .newDevice]
        #expect(condition.holds(facts))
        #expect(!JourneyCondition.not(condition).holds(facts))
    }

    @Test func `words come back, and unknown ones do not`() {
        let all = Set(RiskSignal.allCases)
        #expect(RiskSignal.all(in: all.text) == all)
        #expect(RiskSignal.all(in: "new_device made_up ") == [.newDevice])
        #expect(Set<RiskSignal>().text == "")
    }
}
