import Foundation

/// What checking passkeys costs: `assertions` beside the bare signature, `ceremonies` over HTTP, and `constant`, the same
/// client against answers that cost nothing.
@main
struct PasskeyBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "assertions":
            let data = try JSONSerialization.data(withJSONObject: try AssertionRate.rows(), options: [.sortedKeys])
            print(String(decoding: data, as: UTF8.self))
        case "ceremonies": print(try await CeremonyLoad(base: arguments[2]).ceremoniesPerSecond())
        case "constant": print(try await CeremonyLoad(base: arguments[2]).constantsPerSecond())
        default: throw CocoaError(.featureUnsupported)
        }
    }
}
