internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import OAuth

/// `/dev/time`: reads and moves the server's clock. Only in development, and only if it was switched on.
struct TimeRoutes: Sendable {
    let checks: Checks
    let travel: TimeTravel?

    static let path = "/dev/time"
    private static let bodyBytesMax = 1_024

    var routes: [Route] {
        guard let travel else { return [] }
        return [
            Route(.get, Self.path, checks.thisMachine) { _ in Self.answer(travel.clock) },
            Route(.post, Self.path, checks.thisMachine) { _, request, _ in
                try await Self.move(travel, Self.change(try await request.jsonObject(max: Self.bodyBytesMax)))
                return Self.answer(travel.clock)
            },
        ]
    }

    private static func move(_ travel: TimeTravel, _ change: TimeChange) async throws(OAuthProblem) {
        do throws(DevelopmentClock.Problem) {
            try await travel.move(change)
        } catch {
            throw OAuthProblem(.invalidRequest, TimeTravel.hint(error))
        }
    }

    private static func change(_ body: JSONValue?) throws(OAuthProblem) -> TimeChange {
        do throws(TimeChange.Problem) {
            return try TimeChange(body)
        } catch {
            throw OAuthProblem(.invalidRequest, error.hint)
        }
    }

    private static func answer(_ clock: DevelopmentClock) -> Response {
        let now = clock.now
        return .json(
            JSONWriter.object { json in
                json.member("now", now.rawValue)
                json.member("time", TimeTravel.text(now))
                json.member("ahead_seconds", clock.aheadSeconds)
            })
    }
}
