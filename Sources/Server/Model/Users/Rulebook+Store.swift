package import Authority

extension Rulebook {
    /// A permission where only a change in between could refuse it: the caller was checked before.
    ///
    /// - Throws: ``StoreError``, `forbidden`, for any denial.
    package func permission<A: SingleAct>(
        _ act: A.Type, to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(StoreError) -> Allowed<A> {
        do throws(Denial) {
            return try permit(act, to: caller, on: subject, showing: evidence)
        } catch {
            throw StoreError(.forbidden, cause: error)
        }
    }
}
