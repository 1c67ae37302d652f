private import Foundation
internal import KeyturnBase
internal import Model

/// A journey as text.
enum JourneyOutline {
    /// One line for a list.
    static func line(_ journey: Journey) -> String {
        let clients = journey.clients.isEmpty ? "every client" : journey.clients.joined(separator: ", ")
        let acr = journey.contextClass.map { ", acr \($0)" } ?? ""
        return "\(journey.name): \(clients)\(journey.isDefault ? ", by default" : "")\(acr)"
    }

    static func json(_ journeys: [Journey]) -> String {
        let values = journeys.map { journey in
            JSONValue.object([
                "name": .string(journey.name), "clients": .array(journey.clients.map(JSONValue.string)),
                "default": .bool(journey.isDefault), "acr": journey.contextClass.map(JSONValue.string) ?? .null,
                "steps": .array(journey.steps.map { .string($0.name) }),
            ])
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(JSONValue.array(values))).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    /// Each step, what it does, and the ways from it.
    static func text(_ journey: Journey) -> String {
        let width = journey.steps.map(\.name.count).max() ?? 0
        var lines = [line(journey), ""]
        for step in journey.steps {
            let name = step.name.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(name)  \(step.kind.summary)\(step.condition.map { ", if \($0.summary)" } ?? "")")
            lines += step.edges.map { edge in
                let label = edge.label.isEmpty ? "" : "\(edge.label): "
                return "  \(String(repeating: " ", count: width))    \(label)→ \(edge.target)"
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension JourneyStep {
    /// A way to another step; without a label it is the usual one.
    struct Edge {
        let label: String
        let target: String
    }

    var edges: [Edge] {
        switch kind {
        case .decide(let branches):
            branches.map { Edge(label: "if \($0.condition.summary)", target: $0.next) }
                + (next.map { [Edge(label: "otherwise", target: $0)] } ?? [])
        case .call(let call):
            call.outcomes.sorted { $0.key < $1.key }.map { Edge(label: $0.key, target: $0.value) }
                + [Edge(label: "failed", target: call.failed)]
        default: next.map { [Edge(label: "", target: $0)] } ?? []
        }
    }
}

extension JourneyStepKind {
    /// What it does, in a few words.
    var summary: String {
        switch self {
        case .identify(let allowsSignUp): allowsSignUp ? "identify, or sign up" : "identify"
        case .prove(let proof): "prove: \(proof.summary)"
        case .create(let proof, let allowsSignIn):
            "sign up\(allowsSignIn ? ", or sign in" : ""): \(proof.summary)"
        case .stepUp(let proof): "second factor: \(proof.summary)"
        case .decide: "decide"
        case .collect(let form):
            "collect: \(form.fields.map { $0.isRequired ? $0.name : "\($0.name)?" }.joined(separator: ", "))"
        case .accept(let document): "accept: \(document.name), version \(document.version)"
        case .link(let link):
            "connect: \(link.connections.isEmpty ? "any provider" : link.connections.sorted().joined(separator: " or "))"
                + (link.isRequired ? "" : ", or not")
        case .call(let call): "call: \(call.uri)"
        case .chooseTenant: "choose a tenant"
        case .refuse: "refuse"
        case .done: "done"
        }
    }
}

extension JourneyProof {
    fileprivate var summary: String {
        let words = JourneyMethods.words.filter { methods.contains($0.value) }.map(\.key).sorted()
        let all = words + connections.sorted().map { "connection \($0)" }
        let age = maxAgeSeconds.map { ", at most \($0) s ago" } ?? ""
        return (all.isEmpty ? "any method" : all.joined(separator: " or ")) + age
    }
}

extension JourneyCondition {
    var summary: String {
        switch self {
        case .all(let conditions): conditions.map(\.summary).joined(separator: " and ")
        case .not(.newUser): "not a new user"
        case .not(.has(let names)): "without \(Self.list(names))"
        case .not(let condition): "not (\(condition.summary))"
        case .domain(let names): "domain \(Self.list(names))"
        case .input(let name, let values): "app says \(name) \(Self.list(values))"
        case .tenant(let names): "member of \(Self.list(names))"
        case .newUser: "new user"
        case .has(let names): "with \(Self.list(names))"
        case .used(let methods): "by \(Self.list(methods))"
        case .enrolled(let methods): "\(Self.list(methods)) set up"
        case .olderThan(let seconds): "signed in over \(seconds) s ago"
        case .risk(let signals): "risk: \(Self.list(Set(signals.map(\.rawValue))))"
        }
    }

    private static func list(_ names: Set<String>) -> String { names.sorted().joined(separator: " or ") }

    private static func list(_ methods: Set<AuthenticationMethod>) -> String {
        list(Set(JourneyMethods.words.filter { methods.contains($0.value) }.map(\.key)))
    }
}
