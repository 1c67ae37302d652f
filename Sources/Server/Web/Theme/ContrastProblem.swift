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
    /// The nearest colour for ``culprit`` with enough contrast in all its pairs, or in this one if there is no such
    /// colour; `nil` if none has.
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
        let failing = ContrastPair.all.filter { !isImplied($0, palette) && !$0.passes(in: palette) }
        let culprits = Set(failing.map(culprit))
        let proposals = Dictionary(
            uniqueKeysWithValues: culprits.map { role in
                let pairs = ContrastPair.all.filter { $0.foreground == role || $0.background == role }
                return (role, proposal(role, pairs, palette))
            })
        return failing.map { pair in
            let culprit = culprit(of: pair)
            let proposal = (proposals[culprit] ?? nil) ?? proposal(culprit, [pair], palette)
            return problem(pair, culprit, proposal, palette)
        }
    }

    /// Whether another pair says the same of a colour that the operator did not write.
    private func isImplied(_ pair: ContrastPair, _ palette: ThemePalette) -> Bool {
        // A frame that follows from the accent has its colour, which needs more contrast on the same surfaces.
        if pair.foreground == .focus { return completion.written[.focus] == nil }
        // Where no tint of the accent would do, the card takes its place.
        guard pair.background == .accentSurface, completion.written[.accentSurface] == nil else { return false }
        return palette[.accentSurface] == palette[.surface]
            && ContrastPair.all.contains(ContrastPair(foreground: pair.foreground, background: .surface, use: .text))
    }

    private func culprit(of pair: ContrastPair) -> ColorRole {
        let isForeground = completion.written[pair.foreground] != nil || completion.written[pair.background] == nil
        return isForeground ? pair.foreground : pair.background
    }

    private func problem(
        _ pair: ContrastPair, _ culprit: ColorRole, _ proposal: HexColor?, _ palette: ThemePalette
    ) -> ContrastProblem {
        let ratio = RatioText.text(pair.ratio(in: palette), below: pair.use.minimum)
        let what =
            "\(pair.foreground.rawValue) \(palette[pair.foreground].text) on "
            + "\(pair.background.rawValue) \(palette[pair.background].text)"
        return ContrastProblem(
            scheme: completion.scheme, foreground: pair.foreground, background: pair.background, culprit: culprit,
            proposal: proposal,
            detail: "the contrast of \(what) is \(ratio):1, and at least \(RatioText.text(pair.use.minimum)):1 is "
                + "needed in \(completion.scheme.rawValue) pages (WCAG 2.2, \(pair.use.criterion))")
    }

    /// The nearest colour for a role that passes in pairs.
    private func proposal(_ role: ColorRole, _ pairs: [ContrastPair], _ palette: ThemePalette) -> HexColor? {
        LightnessSteps(palette[role]).nearest { passes($0, as: role, pairs) }
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
