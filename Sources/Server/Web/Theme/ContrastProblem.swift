/// Two colours of a theme that cannot be told apart well enough.
public struct ContrastProblem: Error, Sendable, Equatable {
    /// Where they are.
    public let scheme: ThemeScheme
    /// The colour in front.
    public let foreground: ColorRole
    /// The colour behind it.
    public let background: ColorRole
    /// The colour that the operator wrote, of those two: the one in front if both are the operator's.
    public let culprit: ColorRole
    /// The nearest colour for ``culprit`` with enough contrast; `nil` if none has.
    public let proposal: HexColor?
    /// What is wrong, without a final stop.
    public let detail: String

    /// What to do about it, as a whole sentence.
    public var remedy: String {
        let other = culprit == foreground ? background : foreground
        guard let proposal else { return "Change \(other.rawValue): no other \(culprit.rawValue) passes." }
        return "The nearest \(culprit.rawValue) that passes is \"\(proposal.text)\"; or change \(other.rawValue)."
    }
}

/// Judges the palette of one scheme.
struct ContrastCheck {
    let completion: PaletteCompletion

    var problems: [ContrastProblem] {
        let palette = completion.palette
        return ContrastPair.all.filter { !$0.passes(in: palette) }.map { problem($0, palette) }
    }

    private func problem(_ pair: ContrastPair, _ palette: ThemePalette) -> ContrastProblem {
        let isForeground = completion.written[pair.foreground] != nil || completion.written[pair.background] == nil
        let culprit = isForeground ? pair.foreground : pair.background
        let ratio = RatioText.text(pair.ratio(in: palette), below: pair.use.minimum)
        let what =
            "\(pair.foreground.rawValue) \(palette[pair.foreground].text) on "
            + "\(pair.background.rawValue) \(palette[pair.background].text)"
        return ContrastProblem(
            scheme: completion.scheme, foreground: pair.foreground, background: pair.background, culprit: culprit,
            proposal: proposal(culprit, pair, palette),
            detail: "the contrast of \(what) is \(ratio):1, and at least \(RatioText.text(pair.use.minimum)):1 is "
                + "needed in \(completion.scheme.rawValue) pages (WCAG 2.2, \(pair.use.criterion))")
    }

    /// The nearest colour that passes in every pair; if there is none, in this one.
    private func proposal(_ role: ColorRole, _ pair: ContrastPair, _ palette: ThemePalette) -> HexColor? {
        let steps = LightnessSteps(palette[role])
        let all = ContrastPair.all.filter { $0.foreground == role || $0.background == role }
        return steps.nearest { passes($0, as: role, all) } ?? steps.nearest { passes($0, as: role, [pair]) }
    }

    /// Whether pairs pass with that colour. What follows from it, such as the words on the accent, is made anew.
    private func passes(_ color: HexColor, as role: ColorRole, _ pairs: [ContrastPair]) -> Bool {
        let changed = PaletteCompletion(
            scheme: completion.scheme, written: completion.written.merging([role: color]) { $1 },
            otherAccent: completion.otherAccent
        ).palette
        return pairs.allSatisfy { $0.passes(in: changed) }
    }
}
