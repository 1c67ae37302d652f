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

    /// A permission to change an account's row where only a change in between could refuse it.
    ///
    /// - Throws: as ``permission(_:to:on:showing:)``.
    package func changePermission(
        _ acts: Act..., to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(StoreError) -> Allowed<Acts.ChangeAccount> {
        try changePermission(acts, to: caller, on: subject, showing: evidence)
    }

    /// As ``changePermission(_:to:on:showing:)``, for acts that are known only then.
    package func changePermission(
        _ acts: [Act], to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(StoreError) -> Allowed<Acts.ChangeAccount> {
        do throws(Denial) {
            return try permitChange(acts, to: caller, on: subject, showing: evidence)
        } catch {
            throw StoreError(.forbidden, cause: error)
        }
    }

    /// A machine's permission to change whatever there is in an account's row.
    package func machinePermission(_ machine: Caller.Machine, on account: Account) throws(StoreError)
        -> Allowed<Acts.ChangeAccount>
    {
        try changePermission(
            .changeProfile, .changeAttributes, .changeMemberships, .changeStatus, .acceptInvitation, .addAddress,
            .removeAddress,
            to: .machine(machine), on: account.subject)
    }
}
