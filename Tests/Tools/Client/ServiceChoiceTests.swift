import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Client commands: which server")
struct ServiceChoiceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var issuer: String?
        var clientID: String?
        var service: ServiceName?
        var environment: [String: String] = [:]
        var remembered: ServiceChoice?
        let result: ServiceChoice?
        var testDescription: String { name }
    }

    static let remembered = ServiceChoice(service: .openid, issuer: "https://last", clientID: "mine")

    static let cases = [
        Case(
            name: "an option", issuer: "https://a",
            result: ServiceChoice(service: .keyturn, issuer: "https://a", clientID: "keyturn-cli")),
        Case(
            name: "an option before the environment", issuer: "https://a", environment: ["KEYTURN_ISSUER": "https://b"],
            result: ServiceChoice(service: .keyturn, issuer: "https://a", clientID: "keyturn-cli")),
        Case(
            name: "the environment before what is remembered", environment: ["KEYTURN_ISSUER": "https://b"],
            remembered: remembered,
            result: ServiceChoice(service: .keyturn, issuer: "https://b", clientID: "keyturn-cli")),
        Case(name: "what is remembered", remembered: remembered, result: remembered),
        Case(
            name: "an empty variable is none", environment: ["KEYTURN_ISSUER": ""], remembered: remembered,
            result: remembered),
        Case(
            name: "client and kind are remembered for their issuer", issuer: "https://last", remembered: remembered,
            result: remembered),
        Case(
            name: "client and kind are not taken to another issuer", issuer: "https://a", remembered: remembered,
            result: ServiceChoice(service: .keyturn, issuer: "https://a", clientID: "keyturn-cli")),
        Case(
            name: "options before what is remembered", clientID: "other", service: .keyturn, remembered: remembered,
            result: ServiceChoice(service: .keyturn, issuer: "https://last", clientID: "other")),
        Case(name: "nothing", result: nil),
        Case(name: "no address", issuer: "id.example.com", result: nil),
    ]

    @Test(arguments: cases)
    func `an option, then the environment, then the last sign-in`(_ c: Case) throws {
        let choose = {
            try ServiceChoice(
                service: c.service, issuer: c.issuer, clientID: c.clientID, environment: c.environment,
                remembered: c.remembered)
        }
        guard let result = c.result else {
            let failure = try #require(throws: CommandFailure.self) { try choose() }
            #expect(failure.code == 2)
            #expect(failure.sentence.contains("--issuer"))
            return
        }
        #expect(try choose() == result)
    }
}

@Suite("Client commands: what is remembered")
struct KnownContainersTests {
    let folder = NSTemporaryDirectory() + "keyturn-" + Ambient.live.randomToken(byteCount: 8)
    var known: KnownContainers { KnownContainers(path: folder + "/deep/known.json") }

    @Test func `names are remembered one beside the other, in a folder for nobody else`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(known.read().isEmpty)
        let other = ServiceChoice(service: .keyturn, issuer: "https://a", clientID: "keyturn-cli")
        known.remember(ServiceChoiceTests.remembered, as: "work \"1\"")
        known.remember(other, as: "default")
        known.remember(other, as: "default")
        #expect(known.read() == ["work \"1\"": ServiceChoiceTests.remembered, "default": other])
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/deep")[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test(arguments: ["", "{", "[]", #"{"containers":[]}"#, #"{"containers":{"a":{"service":"x"}}}"#])
    func `a damaged file is an empty one`(_ text: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        known.remember(ServiceChoiceTests.remembered, as: "default")
        try Data(text.utf8).write(to: URL(fileURLWithPath: known.path))
        #expect(known.read().isEmpty)
        known.remember(ServiceChoiceTests.remembered, as: "default")
        #expect(known.read().count == 1)
    }
}
