import Foundation
import Model
import ServerTesting
import Testing

@testable import keyturn

@Suite("Configuration: unusual sign-ins")
struct RiskConfigurationTests {
    /// - Returns: the configuration; or the mistakes, as `line path`.
    private func load(_ text: String, folder: String? = nil) -> (ServerConfiguration?, [String]) {
        do throws(ConfigurationProblems) {
            return (try ServerConfiguration.parse(text: text, environment: [:], folder: folder), [])
        } catch {
            return (nil, error.mistakes.map(Self.text))
        }
    }

    private static func text(_ problem: ConfigurationProblem) -> String {
        if case .file(let line, _) = problem.origin { "\(line) \(problem.path)" } else { problem.path }
    }

    @Test func `messages are sent unless the operator says otherwise`() {
        #expect(load("").0?.risk.notifies == true)
        #expect(load("risk: {}").0?.risk.notifies == true)
        #expect(load("risk: { notify: false }").0?.risk.notifies == false)
        #expect(load("risk: { notify: 3 }").1 == ["1 risk.notify"])
        #expect(load("risk: { notfy: true }").1 == ["1 risk.notfy"])
    }

    @Test func `a country database is read beside the configuration, and must be one`() throws {
        var file = CountryFile()
        file.add("192.0.2.0", 24, CountryFile.place("DE"))
        let url = URL(fileURLWithPath: try file.write())
        let folder = url.deletingLastPathComponent().path
        for path in [url.path, url.lastPathComponent] {
            let (read, mistakes) = load("risk:\n  country_database: \(path)", folder: folder)
            #expect(mistakes == [])
            #expect(read?.risk.countries?.place(of: NetworkAddress("192.0.2.1")).country == "DE")
        }
        file.type = "Test-ASN"
        for path in ["/nowhere/countries.mmdb", "/tmp", "/etc/hostname", try file.write()] {
            #expect(load("risk:\n  country_database: \(path)").1 == ["2 risk.country_database"], "\(path)")
        }
    }

    private func journey(_ condition: String) -> (JourneyCondition?, [String]) {
        let (read, mistakes) = load(
            """
            journeys:
              - name: careful
                steps:
                  - { name: first, prove: {}, next: second }
                  - name: second
                    when: { \(condition) }
                    step_up: {}
                  - { name: end, done: true }
            """)
        return (read?.journeys.first?.step("second")?.condition, mistakes)
    }

    @Test func `a journey names signals`() {
        #expect(journey("risk: [new_device, impossible_travel]").0 == .risk([.newDevice, .impossibleTravel]))
        #expect(journey("not: { risk: [breached_password] }").0 == .not(.risk([.breachedPassword])))
        #expect(journey("risk: [new_devise]").1.first == "6 journeys[0].steps[1].when.risk[0]")
        #expect(journey("risk: []").1.first == "6 journeys[0].steps[1].when.risk")
        #expect(JourneyCondition.risk([.newDevice, .newCountry]).summary == "risk: new_country or new_device")
    }
}
