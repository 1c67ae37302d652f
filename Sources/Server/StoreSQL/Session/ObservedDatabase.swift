package import Model
package import Telemetry

/// A database whose calls are counted, timed, and spans of the request's trace. Without one, a call costs two readings
/// of the clock, one record and one look at a task-local value more.
package struct ObservedDatabase: ForwardingDatabase {
    package let database: any SQLDatabase
    private let metrics: StoreMetrics

    /// - Parameters:
    ///   - database: what does the work.
    ///   - metrics: what is recorded.
    package init(_ database: any SQLDatabase, metrics: StoreMetrics = StoreMetrics()) {
        self.database = database
        self.metrics = metrics
    }

    package nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let span = ChildSpan.begin("store read", isRemote: true)
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await database.read(view, body)
            metrics.read.record(since: begin)
            span.end()
            return value
        } catch {
            metrics.read.fail(error, since: begin, span)
            throw error
        }
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let span = ChildSpan.begin("store statement", isRemote: true)
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await database.once(durability, body)
            metrics.statement.record(since: begin)
            span.end()
            return value
        } catch {
            metrics.statement.fail(error, since: begin, span)
            throw error
        }
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let span = ChildSpan.begin("store statement", isRemote: true)
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await database.once(durability, body, otherwise: rest)
            metrics.statement.record(since: begin)
            span.end()
            return value
        } catch {
            metrics.statement.fail(error, since: begin, span)
            throw error
        }
    }

    package func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let span = ChildSpan.begin("store transaction", isRemote: true)
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await database.write(isolation, body)
            metrics.transaction.record(since: begin)
            span.end()
            return value
        } catch {
            metrics.transaction.fail(error, since: begin, span)
            throw error
        }
    }

    package func gathered<Value: Sendable>(_ call: GatheredCall<Value>) async throws(StoreError) -> Value? {
        let span = ChildSpan.begin("store statement", isRemote: true)
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await database.gathered(call)
            // Without a value the caller asks alone, which is counted then.
            if value != nil { metrics.statement.record(since: begin) }
            span.end()
            return value
        } catch {
            metrics.statement.fail(error, since: begin, span)
            throw error
        }
    }
}

extension StoreMetrics.Operation {
    /// A refusal by the store's rules is an answer; a database that does not answer is a failure.
    fileprivate func fail(_ error: StoreError, since begin: ContinuousClock.Instant, _ span: ChildSpan) {
        let isFailure = [.unavailable, .full].contains(error.code)
        record(since: begin, isFailure: isFailure)
        span.end(failure: isFailure ? error.code.rawValue : nil)
    }
}
