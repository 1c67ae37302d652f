import Foundation
import Model
import Testing

@testable import keyturn

@Suite("Configuration: journeys")
struct JourneyConfigurationTests {
    private static let steps = """
              - name: who
                identify: {sign_up: false}
              - name: first
                prove: {methods: [passkey, email], max_age: 60}
              - name: known
                decide: [{when: {new_user: true, domain: [Example.com], input: {plan: [team]}}, next: profile}]
                next: terms
              - name: profile
                when: {lacks: [given_name], not: {tenant: [acme]}}
                title: {en: You, de: Sie}
                collect:
                  at_most: 1
                  fields:
                    - {name: given_name, label: {en: First name, de: Vorname}}
                    - {name: size, type: choice, required: false, label: {en: Size, de: Größe}, choices: [{value: s}]}
              - name: terms
                accept: {document: terms, version: "2", url: {en: "https://example.com/terms", pt-PT: "https://example.com/termos"}}
              - name: fraud
                call:
                  url: https://example.com/check
                  secret: 0123456789012345678901234567890123456789
                  outcomes: {good: end}
                  failed: no
              - name: no
                refuse: true
                text: {en: Not now., de: Nicht jetzt.}
              - name: end
                done: true
        """

    private func load(_ steps: String, head: String = "name: shop") throws -> (Journey?, [ConfigurationProblem]) {
        let text = "dev: true\nproject: { sign_up: domains }\njourneys:\n  - \(head)\n    steps:\n\(steps)\n"
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-journey-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        do throws(ConfigurationProblems) {
            let configuration = try ServerConfiguration.load(path: file.path, environment: [:])
            return (configuration.journeys.first, configuration.warnings)
        } catch {
            return (nil, error.mistakes)
        }
    }

    @Test func `a whole journey is read`() throws {
        let (read, warnings) = try load(Self.steps)
        let journey = try #require(read, "\(warnings)")
        #expect(warnings.isEmpty && journey.problems.isEmpty)
        #expect(
            journey.steps.map(\.kind.word) == [
                "identify", "prove", "decide", "collect", "accept", "call", "refuse", "done",
            ])
        #expect(journey.step("first")?.kind == .prove(JourneyProof([.passkey, .email], maxAgeSeconds: 60)))
        #expect(
            journey.step("known")?.kind
                == .decide([
                    JourneyBranch(
                        when: .all([.domain(["example.com"]), .input("plan", ["team"]), .newUser]), next: "profile")
                ]))
        #expect(
            journey.step("profile")?.condition
                == .all([.not(.has(["given_name"])), .not(.tenant(["acme"]))]))
        #expect(journey.step("who")?.next == "first" && journey.step("known")?.next == "terms")
        #expect(journey.step("profile")?.title.text(in: "de") == "Sie")
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: String
        let detail: String
        var head = "name: shop"
    }

    static let mistakes = [
        Mistake(testDescription: "no steps", steps: "      []", detail: "there are none"),
        Mistake(
            testDescription: "two kinds", steps: "      - {name: a, done: true, refuse: true}",
            detail: "it does two things"),
        Mistake(testDescription: "no kind", steps: "      - {name: a}", detail: "does not say what it does"),
        Mistake(
            testDescription: "a method that does not exist",
            steps: "      - {name: a, prove: {methods: [passkey, fax]}}\n      - {name: b, done: true}",
            detail: "\"fax\" is not one of the methods"),
        Mistake(
            testDescription: "a loop",
            steps:
                "      - {name: a, prove: {}}\n      - {name: b, choose_tenant: true, next: a}\n      - {name: c, done: true}",
            detail: "the way leads back: a → b → a"),
        Mistake(
            testDescription: "a dead end", steps: "      - {name: a, prove: {}}", detail: "no step follows"),
        Mistake(
            testDescription: "a step that no way leads to",
            steps:
                "      - {name: a, prove: {}, next: c}\n      - {name: b, choose_tenant: true}\n      - {name: c, done: true}",
            detail: "no way leads to it"),
        Mistake(
            testDescription: "a condition that says nothing",
            steps:
                "      - {name: a, prove: {}}\n      - {name: b, choose_tenant: true, when: {}}\n      - {name: c, done: true}",
            detail: "it says nothing"),
        Mistake(
            testDescription: "a method that the server has no way for",
            steps: "      - {name: a, prove: {methods: [approval]}}\n      - {name: c, done: true}",
            detail: "the server offers none of the methods of a: approval"),
        Mistake(
            testDescription: "messages without a way to send them",
            steps: "      - {name: a, create: {methods: [email, sms]}}\n      - {name: c, done: true}",
            detail: "the server offers none of the methods of a: email, sms"),
        Mistake(
            testDescription: "a second factor at the beginning",
            steps: "      - {name: a, prove: {methods: [totp, recovery_code]}}\n      - {name: c, done: true}",
            detail: "no user can begin with recovery_code, totp"),
        Mistake(
            testDescription: "a first factor as the second",
            steps:
                "      - {name: a, prove: {}}\n      - {name: b, step_up: {methods: [email]}}\n      - {name: c, done: true}",
            detail: "no user has email as a second factor, and b asks for nothing else"),
        Mistake(
            testDescription: "an address that is none",
            steps:
                "      - {name: a, prove: {}}\n      - {name: b, accept: {document: t, version: '1', url: {en: x}}}\n      - {name: c, done: true}",
            detail: "address"),
        Mistake(
            testDescription: "a name that is no language",
            steps: "      - {name: a, prove: {}, title: {german: x}}\n      - {name: c, done: true}",
            detail: "it is not the code of a language"),
        Mistake(
            testDescription: "a field that is verified elsewhere",
            steps:
                "      - {name: a, prove: {}}\n      - {name: b, collect: {fields: [{name: email, label: x}]}}\n      - {name: c, done: true}",
            detail: "users cannot fill it in here"),
        Mistake(
            testDescription: "a client that does not exist",
            steps: "      - {name: a, prove: {}}\n      - {name: c, done: true}",
            detail: "nobody", head: "name: shop\n    clients: [nobody]"),
        Mistake(
            testDescription: "an acr of the server's own",
            steps: "      - {name: a, prove: {}}\n      - {name: c, done: true}",
            detail: "the server itself uses this acr", head: "name: shop\n    acr: urn:keyturn:acr:mfa"),
    ]

    @Test(arguments: mistakes) func `a mistake is told of`(_ mistake: Mistake) throws {
        let (_, problems) = try load(mistake.steps, head: mistake.head)
        #expect(problems.contains { $0.detail.contains(mistake.detail) }, "\(problems.map(\.detail))")
    }

    @Test func `two defaults of one client, and two of one acr, are refused`() throws {
        let steps = "    steps: [{name: a, prove: {}}, {name: b, done: true}]"
        let head =
            "name: x\n    default: true\n    acr: urn:a\n\(steps)\n  - name: y\n    default: true\n    acr: urn:a"
        let (_, problems) = try load("      - {name: a, prove: {}}\n      - {name: b, done: true}", head: head)
        #expect(problems.contains { $0.detail == "x and y are both the default of a client" })
        #expect(problems.contains { $0.detail == "two of them have one acr" })
    }

    @Test func `a missing language is warned of`() throws {
        let (journey, warnings) = try load(Self.steps.replacingOccurrences(of: ", de: Nicht jetzt.", with: ""))
        #expect(journey != nil && warnings.map(\.detail) == ["a text of no is missing in de"])
    }

    @Test func `a step that needs a provider is warned of, where there is none yet`() throws {
        for step in ["prove: {methods: [social]}", "link: {}"] {
            let steps = "      - {name: z, prove: {}}\n      - {name: a, \(step)}\n      - {name: c, done: true}"
            let (journey, warnings) = try load(steps)
            #expect(journey != nil)
            #expect(warnings.map(\.detail) == ["a needs an identity provider, and the file has no connections"])
        }
    }

    @Test func `the text and the picture show every step and every way`() throws {
        let journey = try #require(try load(Self.steps).0)
        let text = JourneyOutline.text(journey)
        let picture = JourneyPicture(journey).svg
        for step in journey.steps {
            #expect(text.contains("  \(step.name) "))
            #expect(picture.contains(">\(step.name)</text>"))
        }
        #expect(text.contains("if domain example.com and app says plan team and new user: → profile"))
        #expect(
            picture.components(separatedBy: "marker-end").count - 1 == journey.steps.map(\.edges.count).reduce(0, +))
        let hostile = Journey(
            name: "<script>", steps: [JourneyStep("a", .prove(JourneyProof()), next: "b"), JourneyStep("b", .done)])
        #expect(!JourneyPicture(hostile).svg.contains("<script>"))
    }
}
