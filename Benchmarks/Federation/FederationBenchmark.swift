import Foundation

/// What other providers' words cost: `responses` of SAML judged beside the bare signature; `sign-ins` at a provider of
/// OpenID Connect over HTTP, and `limit`, the same client against a server that does only what cannot be left out.
@main
struct FederationBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { throw CocoaError(.featureUnsupported) }
        switch arguments[1] {
        case "responses":
            let data = try JSONSerialization.data(withJSONObject: try ResponseRate.rows(), options: [.sortedKeys])
            print(String(decoding: data, as: UTF8.self))
        case "sign-ins": print(try await SignInLoad(base: arguments[2]).signInsPerSecond())
        case "limit": print(try await SignInLoad(base: arguments[2]).limitPerSecond())
        default: throw CocoaError(.featureUnsupported)
        }
    }
}
