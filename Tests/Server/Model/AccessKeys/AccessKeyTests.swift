import KeyturnBase
import Model
import Testing

@Suite("Access keys: the networks that may use them")
struct AccessKeyTests {
    private func key(_ networks: [String]) -> AccessKey {
        AccessKey(
            id: "k", name: "k", permittedNetworks: networks, createdBy: "test", createdAt: UnixTime(rawValue: 0),
            updatedAt: UnixTime(rawValue: 0))
    }

    @Test func `a key without networks may be used anywhere`() {
        #expect(key([]).isPermitted(from: nil))
        #expect(key([]).isPermitted(from: IPAddress("192.0.2.1")))
    }

    @Test(arguments: [
        ("192.0.2.9", true), ("192.0.3.1", false), ("2001:db8::5", true), ("2001:db9::5", false), ("203.0.113.7", true),
        ("203.0.113.8", false), ("::ffff:192.0.2.9", true),
    ])
    func `a key with networks may be used from them alone`(address: String, isPermitted: Bool) {
        let key = key(["192.0.2.0/24", "2001:db8::/32", "203.0.113.7"])
        #expect(key.isPermitted(from: IPAddress(address)) == isPermitted)
        #expect(!key.isPermitted(from: nil))
    }

    @Test func `a text that is no network permits nothing`() {
        #expect(!key(["192.0.2.1/24"]).isPermitted(from: IPAddress("192.0.2.1")))
        #expect(!key([""]).isPermitted(from: IPAddress("192.0.2.1")))
    }
}
