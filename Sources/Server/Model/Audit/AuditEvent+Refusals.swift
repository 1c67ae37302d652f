extension AuditEvent.Kind {
    /// Whether it tells that something was not done, or came again: a caller without any right can make such events.
    var isRefusal: Bool { Self.refusals.contains(self) }

    private static let refusals: Set<Self> = [
        .signInFailed, .signInThrottled, .enchantedLinkCancelled, .noticeNotSent, .passkeyRefused, .passkeyCopied,
        .anonymousPromotionRefused, .identityRefused, .consentRefused, .clientRefused, .codeReplayed, .refreshReplayed,
        .refreshRepeated, .refreshWrongKey, .refreshAhead, .deviceRepeated, .deviceReplayed, .deviceCodeThrottled,
        .deviceDenied, .backchannelDenied, .backchannelRepeated, .backchannelReplayed, .assertionReplayed,
        .actingRefused, .accessKeyRefused, .dataKeyWrongSecret, .dataKeyLocked, .dataKeyThrottled,
    ]
}
