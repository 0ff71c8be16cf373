"""What the name of a column says: which two hold the ends of links, and which hold something else.

Two columns are a pair if they differ in the two words of a role alone: `payer_id` and `payee_id`, `Von Konto` and
`Nach Konto`, `nameOrig` and `nameDest`. Case, accents and separators do not count.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

# The two ends of a link. English, German, French, Spanish, Portuguese, Italian, Dutch.
_ROLES = """
source target, source destination, source sink, src dst, src dest, src tgt, src trg, from to, sender receiver,
sender recipient, sender beneficiary, payer payee, payer beneficiary, payer receiver, debtor creditor, debit credit,
buyer seller, customer merchant, customer supplier, client server, caller callee, caller called, calling called,
user item, user product, user friend, user movie, follower followee, follower followed, follower following,
citing cited, origin destination, orig dest, org dest, head tail, subject object, parent child, giver taker,
predecessor successor, ego alter, rater ratee, lender borrower, investor investee, author coauthor, left right,
remitter beneficiary, originator beneficiary, ordering beneficiary, person friend,
von nach, von an, quelle ziel, start ziel, absender empfanger, absender empfaenger, zahler empfanger,
zahler empfaenger, auftraggeber empfanger, auftraggeber empfaenger, auftraggeber begunstigter,
auftraggeber beguenstigter, zahlungspflichtiger zahlungsempfanger, zahlungspflichtiger zahlungsempfaenger,
kaufer verkaufer, kaeufer verkaeufer, anrufer angerufener, soll haben, kunde artikel, kunde produkt,
de a, de vers, source cible, origine destination, expediteur destinataire, emetteur recepteur, payeur beneficiaire,
emetteur beneficiaire, acheteur vendeur, appelant appele, depart arrivee,
de para, desde hasta, desde hacia, origen destino, fuente destino, fuente objetivo, emisor receptor,
remitente destinatario, ordenante beneficiario, pagador beneficiario, pagador receptor, comprador vendedor,
origem destino, remetente destinatario, pagador recebedor,
da a, origine destinazione, sorgente destinazione, mittente destinatario, pagatore beneficiario,
van naar, bron doel, afzender ontvanger, betaler ontvanger
"""
# These words also name other things, such as times; a pair of them counts if no other does.
_WEAK_ROLES = "start end, begin end, 1 2, 0 1, a b, u v, i j, x y, first second, one two"
_IDS = "id ids nodeid node nr no num number key code account acct konto kontonummer iban uid guid uuid"
# What holds a weight, a time, a category or a remark, and never a node.
_OTHERS = """
amount amt value weight weights price cost total sum balance oldbalance newbalance fee rate rating score count quantity
qty duration minutes seconds hours length distance percent share probability lat latitude lon lng longitude betrag summe
wert preis menge anzahl gewicht dauer saldo wahrung waehrung montant valeur prix poids importe valor peso cantidad
precio importo prezzo bedrag
date datetime time timestamp ts day month year week booked created updated at since until datum zeit uhrzeit jahr monat
tag buchungstag wertstellung valuta heure jour fecha hora ano dia data ora giorno mois annee
currency type kind category status flag label labels note notes comment remark text description memo reference
verwendungszweck zweck bemerkung kommentar tipo motif libelle concepto
tx txid transaction txn row index relation predicate step version
"""


def _role_words(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair.split()[0], pair.split()[1]) for pair in text.split(","))


ROLES, WEAK_ROLES = _role_words(_ROLES), _role_words(_WEAK_ROLES)
ID_WORDS, OTHER_WORDS = frozenset(_IDS.split()), frozenset(_OTHERS.split())
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
ALSO_OF_ENDS = frozenset(("tx", "txid", "transaction", "label"))  # beside a role's word these say what the ends are
LETTERS = frozenset("ax")  # columns a and b, or x and y, may hold anything
GLUED_LETTERS = 3  # of a role's word inside a longer one, such as `namedest`


class NamedPair(NamedTuple):
    """Two columns whose names are those of the ends of links; of several the one of the lowest `rank` is meant."""

    columns: tuple[int, int]
    rank: int


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, in lower case and without accents.

    >>> words_of("Von Konto"), words_of("nameOrig"), words_of("payer_id"), words_of("node1"), words_of("Empfänger")
    (('von', 'konto'), ('name', 'orig'), ('payer', 'id'), ('node', '1'), ('empfanger',))
    """
    plain = unicodedata.normalize("NFKD", name[:200].replace("ß", "ss")).encode("ascii", "ignore").decode()
    return tuple(word.lower() for word in PARTS.findall(plain))


def named_pairs(names: Sequence[str]) -> list[NamedPair]:
    """Return the pairs of columns that are called like the two ends of links, those that are meant first.

    >>> named_pairs(["booked_at", "tx_id", "amount", "payer", "payee"])
    [NamedPair(columns=(3, 4), rank=0)]
    >>> [pair.columns for pair in named_pairs(["source_name", "source", "target_name", "target"])]
    [(1, 3), (0, 2)]
    """
    found = []
    words = [words_of(name) for name in names]
    first_of = {name: place for place, name in reversed(list(enumerate(words)))}
    for roles, tier in ((ROLES, 0), (WEAK_ROLES, 3)):
        for a, b in roles:
            for place, own in enumerate(words):
                other, rest = _counterpart(own, a, b)
                if other and other in first_of and place == first_of[own] and not _names_other(rest):
                    if not rest and a in LETTERS:
                        continue
                    named = 0 if not rest else 1 if ID_WORDS.issuperset(rest) else 2
                    found.append(NamedPair((place, first_of[other]), tier + named))
    for place, own in enumerate(words):  # whole names in one word, such as FromNodeId in small letters
        for second, other in enumerate(words):
            if place != second and len(own) == len(other) == 1 and (rank := _glued(own[0], other[0])) is not None:
                found.append(NamedPair((place, second), rank))
    best: dict[tuple[int, int], int] = {}
    for pair in sorted(found, key=lambda one: one.rank):
        if pair.columns[::-1] not in best:
            best.setdefault(pair.columns, pair.rank)
    return [NamedPair(columns, rank) for columns, rank in sorted(best.items(), key=lambda one: (one[1], one[0]))]


def is_other(name: str) -> bool:
    """Tell whether a name says that a column holds no nodes.

    >>> [is_other(name) for name in ("amount", "booked_at", "Betrag (EUR)", "beneficiary", "customer")]
    [True, True, True, False, False]
    """
    return bool(OTHER_WORDS & set(words_of(name)))


def is_known(name: str) -> bool:
    """Tell whether a cell is a word that heads columns, of whatever kind.

    >>> [is_known(name) for name in ("Payee", "amount", "sender_id", "ann", "K17")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    return bool(words) and any(len(word) > 1 and word in _KNOWN for word in words)


def _names_other(rest: tuple[str, ...]) -> bool:
    return bool((OTHER_WORDS - ALSO_OF_ENDS) & set(rest))


def _counterpart(words: tuple[str, ...], a: str, b: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the name with the word of one role instead of the other, and the rest of its words."""
    if a in words:
        place = words.index(a)
        return (*words[:place], b, *words[place + 1 :]), (*words[:place], *words[place + 1 :])
    return (), ()


def _glued(own: str, other: str) -> int | None:
    """Return the rank of two names of one word each as a pair, such as `fromnodeid` and `tonodeid`; None if none."""
    for a, b in ROLES:
        if len(a) >= GLUED_LETTERS and a in own and own != a:
            before, _, after = own.partition(a)
            if other == f"{before}{b}{after}" and not _names_other((before, after)):
                return 1 if {before, after} <= ID_WORDS | {""} else 2
    return None


_KNOWN = OTHER_WORDS | {word for word in ID_WORDS if word != "no"} | {word for role in ROLES for word in role}
