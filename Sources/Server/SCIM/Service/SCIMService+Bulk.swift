internal import KeyturnBase
internal import Model

/// Bulk requests (RFC 7644 §3.7).
extension SCIMService {
    func bulk(_ body: JSONValue?, _ client: SCIMClient) async throws(SCIMFailure) -> SCIMAnswer {
        let batch = try SCIMFailure.wrap { () throws(SCIMProblem) in try SCIMBatch(body ?? .null) }
        var answers: [Int: JSONValue] = [:]
        var made: [String: String] = [:]
        var failed: Set<String> = []
        var errors = 0
        var waiting = Array(batch.operations.indices)
        var isStuck = false
        while !waiting.isEmpty, errors < batch.failOnErrors {
            var later: [Int] = []
            for index in waiting {
                guard errors < batch.failOnErrors else { break }
                let operation = batch.operations[index]
                let missing = operation.references.subtracting(made.keys)
                let isHopeless = isStuck || !missing.isDisjoint(with: failed) || !missing.isSubset(of: batch.bulkIDs)
                if !missing.isEmpty, !isHopeless {
                    later.append(index)
                    continue
                }
                let answer =
                    missing.isEmpty
                    ? try await perform(operation.request(made), client)
                    : SCIMAnswer.refusal(
                        isStuck ? 409 : 400, kind: isStuck ? nil : "invalidValue",
                        isStuck ? "The bulkId references form a circle." : "A bulkId reference leads to nothing.")
                if answer.status >= 400 {
                    errors += 1
                    operation.bulkID.map { _ = failed.insert($0) }
                } else if let name = operation.bulkID, let location = answer.location {
                    made[name] = location.split(separator: "/").last.map(String.init)
                }
                answers[index] = operation.json(answer)
            }
            isStuck = later.count == waiting.count
            waiting = later
        }
        return SCIMAnswer(
            200,
            [
                "schemas": [.string(SCIMSchemas.bulkResponse)],
                "Operations": .array(answers.sorted { $0.key < $1.key }.map(\.value)),
            ])
    }

    private func perform(_ request: SCIMRequest, _ client: SCIMClient) async throws(SCIMFailure) -> SCIMAnswer {
        guard ["POST", "PUT", "PATCH", "DELETE"].contains(request.method), request.path.last != ".search",
            request.path != ["Bulk"], request.path.count == (request.method == "POST" ? 1 : 2)
        else { return .refusal(400, kind: "invalidSyntax", "This is no operation of a bulk request.") }
        return try await SCIMFailure.store { () async throws(StoreError) in try await answer(request, from: client) }
    }
}

/// A bulk request's operations.
struct SCIMBatch: Sendable {
    struct Operation: Sendable {
        let method: String
        let path: String
        let bulkID: String?
        let version: String?
        let data: JSONValue?
        /// The names of other operations in it.
        let references: Set<String>

        /// With the identifiers of the resources that other operations made.
        func request(_ made: [String: String]) -> SCIMRequest {
            SCIMRequest(
                method: method,
                path: path.split(separator: "/").map { SCIMBatch.replaced(String($0), made) },
                body: data.map { SCIMBatch.replaced($0, made) }, ifMatch: version)
        }

        func json(_ answer: SCIMAnswer) -> JSONValue {
            var members: [String: JSONValue] = ["method": .string(method), "status": .string(String(answer.status))]
            members["bulkId"] = bulkID.map(JSONValue.string)
            members["location"] = answer.location.map(JSONValue.string)
            members["version"] = answer.version.map(JSONValue.string)
            if answer.status >= 400 { members["response"] = answer.body }
            return .object(members)
        }
    }

    let operations: [Operation]
    /// How many errors end the request.
    let failOnErrors: Int

    var bulkIDs: Set<String> { Set(operations.compactMap(\.bulkID)) }

    init(_ body: JSONValue) throws(SCIMProblem) {
        guard let list = body["Operations"]?.arrayValue ?? body["operations"]?.arrayValue else {
            throw SCIMProblem(400, .invalidSyntax, "Operations is missing.")
        }
        guard list.count <= Limits.scimBulkOperationsMax else {
            throw SCIMProblem(413, nil, "A bulk request has at most \(Limits.scimBulkOperationsMax) operations.")
        }
        failOnErrors = Int(clamping: max(1, body["failOnErrors"]?.integerValue ?? .max))
        var operations: [Operation] = []
        for entry in list {
            guard let method = entry["method"]?.stringValue?.uppercased(), let path = entry["path"]?.stringValue,
                path.hasPrefix("/"), path.utf8.count <= Limits.scimFilterBytesMax
            else { throw SCIMProblem(400, .invalidSyntax, "An operation has no method or no path.") }
            let bulkID = entry["bulkId"]?.stringValue
            guard method != "POST" || bulkID != nil else {
                throw SCIMProblem(400, .invalidSyntax, "A POST needs a bulkId.")
            }
            var references = Self.references(in: entry["data"] ?? .null)
            references.formUnion(path.split(separator: "/").compactMap { Self.reference(String($0)) })
            operations.append(
                Operation(
                    method: method, path: path, bulkID: bulkID, version: entry["version"]?.stringValue,
                    data: entry["data"], references: references))
        }
        self.operations = operations
    }

    private static let mark = "bulkId:"

    private static func reference(_ text: String) -> String? {
        text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : nil
    }

    private static func references(in json: JSONValue) -> Set<String> {
        switch json {
        case .string(let text): reference(text).map { [$0] } ?? []
        case .array(let list): list.reduce(into: []) { $0.formUnion(references(in: $1)) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion(references(in: $1)) }
        case .null, .bool, .integer, .number: []
        }
    }

    private static func replaced(_ text: String, _ made: [String: String]) -> String {
        reference(text).flatMap { made[$0] } ?? text
    }

    private static func replaced(_ json: JSONValue, _ made: [String: String]) -> JSONValue {
        switch json {
        case .string(let text): .string(replaced(text, made))
        case .array(let list): .array(list.map { replaced($0, made) })
        case .object(let members): .object(members.mapValues { replaced($0, made) })
        case .null, .bool, .integer, .number: json
        }
    }
}
