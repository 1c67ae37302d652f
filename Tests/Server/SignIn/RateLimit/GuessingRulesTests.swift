import KeyturnBase
import Model
import SignIn
import Testing

@Suite("Guessing gets slow, owners stay in")
struct GuessingRulesTests {
    let now = UnixTime(rawValue: 1_000_000)

    private func counts(here: Int64, account: Int64 = 1, network: Int64 = 1, known: Bool = false, ago: Int64 = 0)
        -> [AttemptCount]
    {
        [here, account, network].enumerated().map { index, failures in
            AttemptCount(key: "\(index)", failures: failures, previousAt: now - ago, isKnown: index == 0 && known)
        }
    }

    @Test func `attack 80: ten failures are free, the eleventh waits`() {
        #expect(GuessingRules.delaySeconds(counts(here: 10), at: now) == 0)
        #expect(GuessingRules.delaySeconds(counts(here: 11), at: now) == 2)
        #expect(GuessingRules.delaySeconds(counts(here: 12), at: now) == 4)
    }

    @Test func `attack 80: the wait doubles up to its bound, and passes`() {
        #expect(GuessingRules.delaySeconds(counts(here: 200), at: now) == Limits.attemptDelayMaxSeconds)
        #expect(GuessingRules.delaySeconds(counts(here: 200, ago: Limits.attemptDelayMaxSeconds - 1), at: now) == 1)
        #expect(GuessingRules.delaySeconds(counts(here: 200, ago: Limits.attemptDelayMaxSeconds), at: now) == 0)
    }

    @Test func `attack 80: a hundred failures from anywhere slow strangers down`() {
        #expect(GuessingRules.delaySeconds(counts(here: 1, account: 101), at: now) > 0)
        #expect(GuessingRules.delaySeconds(counts(here: 1, account: 100), at: now) == 0)
    }

    @Test func `attack 81: strangers cannot shut the owner out`() {
        #expect(
            GuessingRules.delaySeconds(counts(here: 1, account: 100_000, network: 100_000, known: true), at: now) == 0)
    }

    @Test func `attack 80: guesses at a second factor count apart, and on the user, whatever name is typed`() throws {
        let user = UserID(rawValue: "u1")
        let names = try ["andy@example.com", "+15551234567"].map { try #require(Identifier(loginID: $0)) }
        let address = NetworkAddress("192.0.2.1")
        let first = names.map { GuessingRules.Keys(identifier: $0, address: address).all }
        let second = names.map { GuessingRules.Keys(secondFactorOf: user, typed: $0, address: address).all }
        #expect(second[0] == second[1])
        #expect(Set(second[0].prefix(2)).isDisjoint(with: first.flatMap(\.self)))
        #expect(second[0][2] == first[0][2], "the network is one")
        let nobody = names.map { GuessingRules.Keys(secondFactorOf: nil, typed: $0, address: address).all }
        #expect(nobody[0].prefix(2) != nobody[1].prefix(2))
    }

    @Test func `attack 80: guesses at a password count on its owner as well, whatever name is typed`() throws {
        let names = try ["andy@example.com", "+15551234567"].map { try #require(Identifier(loginID: $0)) }
        let address = NetworkAddress("192.0.2.1")
        let user = UserID(rawValue: "u1")
        let owner = names.map { GuessingRules.OwnerKeys(of: user, typed: $0, address: address).all }
        #expect(owner[0] == owner[1])
        let nobody = names.map { GuessingRules.OwnerKeys(of: nil, typed: $0, address: address).all }
        #expect(Set(nobody[0] + nobody[1] + owner[0]).count == 6)
    }

    @Test func `attack 81: guesses of strangers at an owner count where the owner was never seen`() {
        func delay(here: Int64, anywhere: Int64, name: Bool = false, owner: Bool = false) -> Int64 {
            let counts = [here, anywhere].enumerated().map { index, failures in
                AttemptCount(key: "\(index)", failures: failures, previousAt: now, isKnown: index == 0 && owner)
            }
            return GuessingRules.ownerDelaySeconds(counts, isKnown: name, at: now)
        }
        #expect(delay(here: 10, anywhere: 100) == 0)
        #expect(delay(here: 11, anywhere: 11) == 2)
        #expect(delay(here: 1, anywhere: 101) == 2)
        #expect(delay(here: 1, anywhere: 100_000, name: true) == 0)
        #expect(delay(here: 1, anywhere: 100_000, owner: true) == 0)
        #expect(delay(here: 11, anywhere: 11, name: true, owner: true) == 2)
    }

    @Test func `a clock that was set back makes nobody wait for longer`() {
        #expect(GuessingRules.delaySeconds(counts(here: 11, ago: -86_400), at: now) == 2)
        #expect(GuessingRules.delaySeconds(counts(here: 200, ago: -86_400), at: now) == Limits.attemptDelayMaxSeconds)
    }

    @Test func `79: an IPv4 address that travels as IPv6 is a network of its own`() {
        let first = NetworkAddress("::ffff:192.0.2.1")
        #expect(first == NetworkAddress("192.0.2.1") && first.text == "192.0.2.1")
        #expect(NetworkAddress("::ffff:c000:201").network == "192.0.2.1")
        #expect(first.network != NetworkAddress("::ffff:192.0.2.2").network)
    }

    @Test(
        arguments: [
            ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:db8:0:0:1::", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"),
            ("fe80::1%eth0", "fe80:0:0:0::/64"), ("1:2:3:4:5:6:7:8", "1:2:3:4::/64"), ("1::5:6:7:8:9", "1:0:0:5::/64"),
            ("not an address", "not an address"),
        ])
    func `a network is read from the bytes of an address, however it is written`(_ text: String, _ network: String) {
        #expect(NetworkAddress(text).network == network)
    }

    @Test func `an address has one text in the log, and a text that only begins with one is none`() {
        #expect(NetworkAddress("2001:DB8:0::1").text == "2001:db8::1")
        #expect(NetworkAddress("fe80::1%eth0").text == "fe80::1")
        #expect(NetworkAddress("192.0.2.1\u{0}x").address == nil && NetworkAddress("192.0.2.01").address == nil)
        #expect(NetworkAddress("192.0.2.1").address?.bytes == [192, 0, 2, 1])
    }

    @Test func `one IPv6 sender is one network, whatever address it picks`() {
        let network = { (text: String) in NetworkAddress(text).network }
        #expect(network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff::9"))
        #expect(network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
        #expect(network("192.0.2.1") != network("192.0.2.2"))
    }
}
