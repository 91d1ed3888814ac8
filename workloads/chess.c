/*
 * chess - stands for crafty (SPEC CPU2000 186.crafty).
 *
 * A chess engine on 64-bit boards: bitboard move generation, alpha-beta with
 * iterative deepening, null moves and check extensions, a quiescence search
 * over captures that do not lose material by static exchange, killer and
 * history ordering, a transposition table larger than the caches, a hash of
 * pawn structures, and an evaluation of mobility, pawns, rooks and king
 * shelter. As in the original nearly every branch depends on the position at
 * hand, so they are hard to predict; 64-bit logic and table lookups dominate.
 * It plays on from openings made of random legal moves.
 *
 * Checked: the number of move sequences from two well-known positions
 * (perft), hash keys kept move by move against keys made anew, the evaluation
 * against that of the mirrored position, and alpha-beta with all its tables
 * against plain minimax.
 */
#include "workload.h"

enum { WHITE, BLACK };
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NONE };
enum { NORMAL, DOUBLE_STEP, EN_PASSANT, CASTLE };
enum { EXACT = 1, AT_LEAST, AT_MOST };
enum {
	NO_SQUARE = 64,
	MAX_MOVES = 256,
	MAX_PLY = 48,
	MATE = 30000,
	INFINITE = 32000,
	PAWN_SLOTS = 1024,
};

#define BIT(square) (UINT64_C(1) << (square))
#define DE_BRUIJN   UINT64_C(0x03f79d71b4cb0a89)
#define FILE_A	    UINT64_C(0x0101010101010101)

static const int piece_value[7] = {100, 320, 330, 500, 950, 20000, 0};

struct position {
	uint64_t piece[2][6];
	uint64_t side[2];
	uint8_t on[64];
	uint64_t key, pawn_key;
	int turn, castling, en_passant;
};

struct slot {
	uint64_t key;
	uint32_t move;
	int16_t score;
	int8_t depth;
	uint8_t kind;
};

struct pawn_slot {
	uint64_t key;
	uint64_t passed;
	int score;
};

struct engine {
	struct slot *slot;
	uint64_t slot_mask;
	struct pawn_slot pawn[PAWN_SLOTS];
	uint32_t killer[MAX_PLY][2];
	int history[2][64 * 64];
	uint64_t nodes, node_limit;
	/* Nothing that could change the value of a minimax search; static leaves. */
	int exact;
	uint32_t best_move;
};

/* A move: from, to, moved and captured piece, promotion, kind. */
static uint32_t move_make(int from, int to, int piece, int captured, int promotion, int kind)
{
	return (uint32_t)(from | to << 6 | piece << 12 | captured << 15 | promotion << 18 |
			  kind << 21);
}

#define MOVE_FROM(m)	  ((int)((m)&63))
#define MOVE_TO(m)	  ((int)((m) >> 6 & 63))
#define MOVE_PIECE(m)	  ((int)((m) >> 12 & 7))
#define MOVE_CAPTURED(m)  ((int)((m) >> 15 & 7))
#define MOVE_PROMOTION(m) ((int)((m) >> 18 & 7))
#define MOVE_KIND(m)	  ((int)((m) >> 21 & 3))

struct move_list {
	int size;
	uint32_t move[MAX_MOVES];
	int score[MAX_MOVES];
};

/* Filled once at the start, constant afterwards. */
static uint64_t ray[8][64], knight_reach[64], king_reach[64], pawn_reach[2][64];
static uint64_t zobrist[2][6][64], zobrist_castling[16], zobrist_file[8], zobrist_turn;
static uint64_t front_span[2][64], neighbour_files[8];
static int8_t square_bonus[6][64];
static uint8_t castling_mask[64], square_of[64];

/* The lowest bit's square: the top six bits of its product with a de Bruijn sequence name it. */
static int lowest_square(uint64_t set)
{
	return square_of[((set & -set) * DE_BRUIJN) >> 58];
}

static int highest_square(uint64_t set)
{
	return 63 - __builtin_clzll(set);
}

static int count_squares(uint64_t set)
{
	int count = 0;

	for (; set; set &= set - 1)
		count++;
	return count;
}

static int pop_square(uint64_t *set)
{
	int square = lowest_square(*set);

	*set &= *set - 1;
	return square;
}

static uint64_t step(int square, int dx, int dy)
{
	int x = (square & 7) + dx, y = (square >> 3) + dy;

	return x < 0 || x > 7 || y < 0 || y > 7 ? 0 : BIT(y * 8 + x);
}

static void init_tables(struct workload *w)
{
	static const int direction[8][2] = {{0, 1},  {1, 1},   {1, 0},	{-1, 1},
					    {0, -1}, {-1, -1}, {-1, 0}, {1, -1}};
	static const int leap[8][2] = {{1, 2},	 {2, 1},   {2, -1}, {1, -2},
				       {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

	for (int s = 0; s < 64; s++) {
		int x = s & 7, y = s >> 3;
		int off_x = x < 4 ? 3 - x : x - 4, off_y = y < 4 ? 3 - y : y - 4;
		int centre = 6 - off_x - off_y;

		for (int d = 0; d < 8; d++) {
			int dx = direction[d][0], dy = direction[d][1];
			uint64_t next = step(s, dx, dy);

			king_reach[s] |= next;
			knight_reach[s] |= step(s, leap[d][0], leap[d][1]);
			for (int k = 2; next; k++) {
				ray[d][s] |= next;
				next = step(s, k * dx, k * dy);
			}
		}
		pawn_reach[WHITE][s] = step(s, -1, 1) | step(s, 1, 1);
		pawn_reach[BLACK][s] = step(s, -1, -1) | step(s, 1, -1);
		for (int dx = -1; dx <= 1; dx++)
			for (int k = 1; k < 8; k++) {
				front_span[WHITE][s] |= step(s, dx, k);
				front_span[BLACK][s] |= step(s, dx, -k);
			}
		square_bonus[PAWN][s] = (int8_t)(4 * y + (off_x == 0 ? 4 * y : 0) - 8);
		square_bonus[KNIGHT][s] = (int8_t)(8 * centre - 24);
		square_bonus[BISHOP][s] = (int8_t)(4 * centre - 10);
		square_bonus[ROOK][s] = (int8_t)(y == 6 ? 20 : 2 * (3 - off_x));
		square_bonus[QUEEN][s] = (int8_t)(2 * centre - 6);
		square_bonus[KING][s] = (int8_t)(10 * (off_x + off_y) - 12 * y);
		castling_mask[s] = 15;
		square_of[(BIT(s) * DE_BRUIJN) >> 58] = (uint8_t)s;
		for (int side = 0; side < 2; side++)
			for (int p = 0; p < 6; p++)
				zobrist[side][p][s] = workload_random(w);
	}
	for (int f = 0; f < 8; f++) {
		zobrist_file[f] = workload_random(w);
		neighbour_files[f] =
			(f > 0 ? FILE_A << (f - 1) : 0) | (f < 7 ? FILE_A << (f + 1) : 0);
	}
	for (int i = 0; i < 16; i++)
		zobrist_castling[i] = workload_random(w);
	zobrist_turn = workload_random(w);
	castling_mask[4] = 15 & ~3;
	castling_mask[7] = 15 & ~1;
	castling_mask[0] = 15 & ~2;
	castling_mask[60] = 15 & ~12;
	castling_mask[63] = 15 & ~4;
	castling_mask[56] = 15 & ~8;
}

/* Directions 0-3 lead to higher squares, so the nearest blocker is the lowest bit there. */
static uint64_t ray_attacks(int d, int square, uint64_t occupied)
{
	uint64_t reach = ray[d][square], blockers = reach & occupied;

	if (!blockers)
		return reach;
	return reach ^ ray[d][d < 4 ? lowest_square(blockers) : highest_square(blockers)];
}

static uint64_t piece_attacks(int piece, int square, uint64_t occupied)
{
	uint64_t reach = 0;

	switch (piece) {
	case KNIGHT: return knight_reach[square];
	case KING: return king_reach[square];
	case QUEEN:
	case BISHOP:
		for (int d = 1; d < 8; d += 2)
			reach |= ray_attacks(d, square, occupied);
		if (piece == BISHOP)
			return reach;
		/* fall through */
	default:
		for (int d = 0; d < 8; d += 2)
			reach |= ray_attacks(d, square, occupied);
		return reach;
	}
}

static uint64_t attackers_to(const struct position *p, int square, uint64_t occupied)
{
	uint64_t queens = p->piece[WHITE][QUEEN] | p->piece[BLACK][QUEEN];
	uint64_t diagonal = p->piece[WHITE][BISHOP] | p->piece[BLACK][BISHOP] | queens;
	uint64_t straight = p->piece[WHITE][ROOK] | p->piece[BLACK][ROOK] | queens;

	return (pawn_reach[WHITE][square] & p->piece[BLACK][PAWN]) |
	       (pawn_reach[BLACK][square] & p->piece[WHITE][PAWN]) |
	       (knight_reach[square] & (p->piece[WHITE][KNIGHT] | p->piece[BLACK][KNIGHT])) |
	       (king_reach[square] & (p->piece[WHITE][KING] | p->piece[BLACK][KING])) |
	       (piece_attacks(BISHOP, square, occupied) & diagonal) |
	       (piece_attacks(ROOK, square, occupied) & straight);
}

static int is_attacked(const struct position *p, int square, int by)
{
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];

	if ((pawn_reach[!by][square] & p->piece[by][PAWN]) ||
	    (knight_reach[square] & p->piece[by][KNIGHT]) ||
	    (king_reach[square] & p->piece[by][KING]))
		return 1;
	for (int d = 0; d < 8; d++) {
		uint64_t sliders = p->piece[by][QUEEN] | p->piece[by][d & 1 ? BISHOP : ROOK];

		if ((ray[d][square] & sliders) && (ray_attacks(d, square, occupied) & sliders))
			return 1;
	}
	return 0;
}

static int in_check(const struct position *p, int side)
{
	return is_attacked(p, lowest_square(p->piece[side][KING]), !side);
}

static void position_put(struct position *p, int side, int piece, int square)
{
	p->piece[side][piece] ^= BIT(square);
	p->side[side] ^= BIT(square);
	p->on[square] = (uint8_t)piece;
	p->key ^= zobrist[side][piece][square];
	if (piece == PAWN)
		p->pawn_key ^= zobrist[side][piece][square];
}

static void position_take(struct position *p, int side, int piece, int square)
{
	position_put(p, side, piece, square);
	p->on[square] = NONE;
}

static uint64_t position_state_key(const struct position *p)
{
	return zobrist_castling[p->castling] ^ (p->turn ? zobrist_turn : 0) ^
	       (p->en_passant != NO_SQUARE ? zobrist_file[p->en_passant & 7] : 0);
}

static void position_parse(struct position *p, const char *board, int castling)
{
	static const char names[] = "pnbrqk";
	int x = 0, y = 7;

	memset(p, 0, sizeof(*p));
	memset(p->on, NONE, sizeof(p->on));
	p->castling = castling;
	p->en_passant = NO_SQUARE;
	for (; *board; board++) {
		if (*board == '/') {
			x = 0;
			y--;
		} else if (*board >= '1' && *board <= '8') {
			x += *board - '0';
		} else {
			int side = *board >= 'a' ? BLACK : WHITE;
			const char *name = strchr(names, side == BLACK ? *board : *board + 32);

			position_put(p, side, (int)(name - names), y * 8 + x++);
		}
	}
	p->key ^= position_state_key(p);
}

static void position_move(struct position *p, uint32_t m)
{
	int us = p->turn, them = !us, from = MOVE_FROM(m), to = MOVE_TO(m);
	int piece = MOVE_PIECE(m), captured = MOVE_CAPTURED(m), promotion = MOVE_PROMOTION(m);

	p->key ^= position_state_key(p);
	position_take(p, us, piece, from);
	if (MOVE_KIND(m) == EN_PASSANT)
		position_take(p, them, PAWN, to ^ 8);
	else if (captured != NONE)
		position_take(p, them, captured, to);
	position_put(p, us, promotion != NONE ? promotion : piece, to);
	if (MOVE_KIND(m) == CASTLE) {
		int king_side = to > from;

		position_take(p, us, ROOK, king_side ? to + 1 : to - 2);
		position_put(p, us, ROOK, king_side ? to - 1 : to + 1);
	}
	p->castling &= castling_mask[from] & castling_mask[to];
	p->en_passant = NO_SQUARE;
	if (MOVE_KIND(m) == DOUBLE_STEP && (pawn_reach[us][(from + to) / 2] & p->piece[them][PAWN]))
		p->en_passant = (from + to) / 2;
	p->turn = them;
	p->key ^= position_state_key(p);
}

static void list_add(struct move_list *list, uint32_t move)
{
	list->move[list->size++] = move;
}

static void add_pawn_move(struct move_list *list, int from, int to, int captured, int kind)
{
	if (to < 8 || to >= 56) {
		for (int promotion = QUEEN; promotion >= KNIGHT; promotion--)
			list_add(list, move_make(from, to, PAWN, captured, promotion, kind));
		return;
	}
	list_add(list, move_make(from, to, PAWN, captured, NONE, kind));
}

static void generate_pawns(const struct position *p, struct move_list *list, int captures_only)
{
	int us = p->turn, forward = us == WHITE ? 8 : -8;
	uint64_t empty = ~(p->side[WHITE] | p->side[BLACK]);
	uint64_t targets = p->side[!us];

	for (uint64_t pawns = p->piece[us][PAWN]; pawns;) {
		int from = pop_square(&pawns), to = from + forward;
		uint64_t hits = pawn_reach[us][from] & targets;
		int start = us == WHITE ? from < 16 : from >= 48;

		while (hits) {
			int target = pop_square(&hits);

			add_pawn_move(list, from, target, p->on[target], NORMAL);
		}
		if (p->en_passant != NO_SQUARE && (pawn_reach[us][from] & BIT(p->en_passant)))
			add_pawn_move(list, from, p->en_passant, PAWN, EN_PASSANT);
		if (!(empty & BIT(to)) || (captures_only && to >= 8 && to < 56))
			continue;
		add_pawn_move(list, from, to, NONE, NORMAL);
		if (start && !captures_only && (empty & BIT(to + forward)))
			add_pawn_move(list, from, to + forward, NONE, DOUBLE_STEP);
	}
}

static void generate_castling(const struct position *p, struct move_list *list)
{
	int us = p->turn, king = us == WHITE ? 4 : 60;
	int rights = p->castling >> (us == WHITE ? 0 : 2);
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];

	if ((rights & 1) && !(occupied & (UINT64_C(0x60) << (king - 4))) &&
	    !is_attacked(p, king, !us) && !is_attacked(p, king + 1, !us))
		list_add(list, move_make(king, king + 2, KING, NONE, NONE, CASTLE));
	if ((rights & 2) && !(occupied & (UINT64_C(0x0e) << (king - 4))) &&
	    !is_attacked(p, king, !us) && !is_attacked(p, king - 1, !us))
		list_add(list, move_make(king, king - 2, KING, NONE, NONE, CASTLE));
}

/* Pseudo-legal: may leave the own king in check. */
static void generate(const struct position *p, struct move_list *list, int captures_only)
{
	int us = p->turn;
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];
	uint64_t targets = captures_only ? p->side[!us] : ~p->side[us];

	list->size = 0;
	generate_pawns(p, list, captures_only);
	for (int piece = KNIGHT; piece <= KING; piece++)
		for (uint64_t set = p->piece[us][piece]; set;) {
			int from = pop_square(&set);
			uint64_t reach = piece_attacks(piece, from, occupied) & targets;

			while (reach) {
				int to = pop_square(&reach);

				list_add(list, move_make(from, to, piece, p->on[to], NONE, NORMAL));
			}
		}
	if (!captures_only)
		generate_castling(p, list);
}

/* Makes the move in a copy; false if it leaves the mover's king in check. */
static int try_move(const struct position *p, uint32_t move, struct position *after)
{
	*after = *p;
	position_move(after, move);
	return !in_check(after, p->turn);
}

static uint64_t perft(const struct position *p, int depth)
{
	struct move_list list;
	uint64_t count = 0;

	generate(p, &list, 0);
	for (int i = 0; i < list.size; i++) {
		struct position after;

		if (try_move(p, list.move[i], &after))
			count += depth == 1 ? 1 : perft(&after, depth - 1);
	}
	return count;
}

/* What a capture wins if both sides keep recapturing with their least piece. */
static int static_exchange(const struct position *p, uint32_t m)
{
	int to = MOVE_TO(m), side = !p->turn, gain[32], depth = 0;
	int on_square = piece_value[MOVE_PIECE(m)];
	uint64_t occupied = (p->side[WHITE] | p->side[BLACK]) & ~BIT(MOVE_FROM(m));
	uint64_t attackers = attackers_to(p, to, occupied) & occupied;

	gain[0] = piece_value[MOVE_CAPTURED(m)];
	while (depth < 31) {
		uint64_t own = attackers & p->side[side], least = 0;
		int piece;

		for (piece = PAWN; piece < NONE; piece++)
			if ((least = own & p->piece[side][piece]))
				break;
		if (!least)
			break;
		depth++;
		gain[depth] = on_square - gain[depth - 1];
		on_square = piece_value[piece];
		occupied ^= least & -least;
		attackers = attackers_to(p, to, occupied) & occupied;
		side = !side;
	}
	for (; depth > 0; depth--)
		if (gain[depth] > -gain[depth - 1])
			gain[depth - 1] = -gain[depth];
	return gain[0];
}

static const struct pawn_slot *evaluate_pawns(struct engine *e, const struct position *p)
{
	struct pawn_slot *slot = &e->pawn[p->pawn_key % PAWN_SLOTS];

	if (slot->key == p->pawn_key)
		return slot;
	slot->key = p->pawn_key;
	slot->passed = 0;
	slot->score = 0;
	for (int side = 0; side < 2; side++) {
		uint64_t own = p->piece[side][PAWN], enemy = p->piece[!side][PAWN];
		int score = 0;

		for (uint64_t set = own; set;) {
			int s = pop_square(&set), file = s & 7;
			int rank = side == WHITE ? s >> 3 : 7 - (s >> 3);

			if (front_span[side][s] & own & (FILE_A << file))
				score -= 14;
			if (!(neighbour_files[file] & own))
				score -= 12;
			else if (pawn_reach[!side][s] & own)
				score += 6;
			if (!(front_span[side][s] & enemy)) {
				slot->passed |= BIT(s);
				score += 5 * rank * rank / 2;
			}
		}
		slot->score += side == WHITE ? score : -score;
	}
	return slot;
}

static int evaluate_king(const struct position *p, int side, uint64_t enemy_reach, int hits)
{
	int king = lowest_square(p->piece[side][KING]), file = king & 7, danger = 0;
	uint64_t zone = king_reach[king] | BIT(king);

	danger += 4 * hits * hits + 3 * count_squares(zone & enemy_reach);
	for (int f = file > 0 ? file - 1 : 0; f <= file + 1 && f < 8; f++)
		if (!(front_span[side][king] & p->piece[side][PAWN] & (FILE_A << f)))
			danger += p->piece[!side][PAWN] & (FILE_A << f) ? 10 : 18;
	return p->piece[!side][QUEEN] ? -danger : -danger / 4;
}

static int evaluate(struct engine *e, const struct position *p)
{
	static const int mobility_weight[6] = {0, 4, 4, 2, 1, 0};
	const struct pawn_slot *pawns = evaluate_pawns(e, p);
	uint64_t occupied = p->side[WHITE] | p->side[BLACK], reach[2] = {0, 0};
	int score[2] = {pawns->score, 0}, hits[2] = {0, 0};

	for (int side = 0; side < 2; side++) {
		uint64_t enemy_king = p->piece[!side][KING];
		uint64_t target = king_reach[lowest_square(enemy_king)] | enemy_king;
		int flip = side == WHITE ? 0 : 56;

		for (int piece = PAWN; piece <= KING; piece++)
			for (uint64_t set = p->piece[side][piece]; set;) {
				int s = pop_square(&set);
				uint64_t attacks;

				score[side] += square_bonus[piece][s ^ flip];
				if (piece == PAWN) {
					score[side] += piece_value[PAWN];
					reach[side] |= pawn_reach[side][s];
					if ((pawns->passed & BIT(s)) &&
					    (occupied & BIT(s + (side == WHITE ? 8 : -8))))
						score[side] -= 10;
					continue;
				}
				if (piece == KING)
					continue;
				attacks = piece_attacks(piece, s, occupied);
				reach[side] |= attacks;
				hits[side] += (attacks & target) != 0;
				score[side] += piece_value[piece] +
					       mobility_weight[piece] *
						       count_squares(attacks & ~p->side[side]);
				if (piece == ROOK && !(p->piece[side][PAWN] & FILE_A << (s & 7)))
					score[side] +=
						p->piece[!side][PAWN] & FILE_A << (s & 7) ? 10 : 22;
			}
		if (p->piece[side][BISHOP] & (p->piece[side][BISHOP] - 1))
			score[side] += 35;
	}
	score[WHITE] += evaluate_king(p, WHITE, reach[BLACK], hits[BLACK]);
	score[BLACK] += evaluate_king(p, BLACK, reach[WHITE], hits[WHITE]);
	return p->turn == WHITE ? score[WHITE] - score[BLACK] : score[BLACK] - score[WHITE];
}

static void score_moves(const struct engine *e, const struct position *p, struct move_list *list,
			uint32_t hash_move, int ply)
{
	for (int i = 0; i < list->size; i++) {
		uint32_t m = list->move[i];
		int captured = MOVE_CAPTURED(m);

		if (m == hash_move)
			list->score[i] = 1 << 24;
		else if (captured != NONE || MOVE_PROMOTION(m) != NONE)
			list->score[i] = (1 << 20) + 16 * piece_value[captured] +
					 piece_value[MOVE_PROMOTION(m)] -
					 piece_value[MOVE_PIECE(m)] / 8;
		else if (m == e->killer[ply][0] || m == e->killer[ply][1])
			list->score[i] = 1 << 19;
		else
			list->score[i] = e->history[p->turn][m & 4095];
	}
}

static uint32_t pick_move(struct move_list *list, int at)
{
	int best = at;
	uint32_t move;

	for (int i = at + 1; i < list->size; i++)
		if (list->score[i] > list->score[best])
			best = i;
	move = list->move[best];
	list->move[best] = list->move[at];
	list->score[best] = list->score[at];
	return move;
}

static int quiesce(struct engine *e, const struct position *p, int alpha, int beta, int ply)
{
	struct move_list list;
	int best = evaluate(e, p);

	e->nodes++;
	if (best >= beta || ply >= MAX_PLY - 1 || e->exact)
		return best;
	if (best > alpha)
		alpha = best;
	generate(p, &list, 1);
	score_moves(e, p, &list, 0, ply);
	for (int i = 0; i < list.size; i++) {
		uint32_t m = pick_move(&list, i);
		struct position after;
		int score;

		if (piece_value[MOVE_CAPTURED(m)] < piece_value[MOVE_PIECE(m)] &&
		    static_exchange(p, m) < 0)
			continue;
		if (!try_move(p, m, &after))
			continue;
		score = -quiesce(e, &after, -beta, -alpha, ply + 1);
		if (score > best)
			best = score;
		if (score >= beta)
			break;
		if (score > alpha)
			alpha = score;
	}
	return best;
}

static void remember_cutoff(struct engine *e, const struct position *p, uint32_t m, int depth,
			    int ply)
{
	int *history = &e->history[p->turn][m & 4095];

	if (MOVE_CAPTURED(m) != NONE)
		return;
	if (m != e->killer[ply][0]) {
		e->killer[ply][1] = e->killer[ply][0];
		e->killer[ply][0] = m;
	}
	*history += depth * depth;
	if (*history > 1 << 16)
		*history /= 2;
}

static int search(struct engine *e, const struct position *p, int depth, int alpha, int beta,
		  int ply, int may_pass)
{
	struct slot *slot = &e->slot[p->key & e->slot_mask];
	struct move_list list;
	struct position after;
	int checked = in_check(p, p->turn), best = -INFINITE, first_alpha = alpha;
	uint32_t hash_move = 0, best_move = 0;

	depth += checked && !e->exact;
	if (depth <= 0 || ply >= MAX_PLY - 1)
		return quiesce(e, p, alpha, beta, ply);
	e->nodes++;
	if (slot->key == p->key) {
		hash_move = slot->move;
		if (ply > 0 && (e->exact ? slot->depth == depth : slot->depth >= depth) &&
		    (slot->kind == EXACT || (slot->kind == AT_LEAST && slot->score >= beta) ||
		     (slot->kind == AT_MOST && slot->score <= alpha)))
			return slot->score;
	}
	if (may_pass && !checked && !e->exact && depth >= 3 && evaluate(e, p) >= beta &&
	    (p->side[p->turn] & ~p->piece[p->turn][PAWN] & ~p->piece[p->turn][KING])) {
		after = *p;
		after.key ^= position_state_key(&after);
		after.en_passant = NO_SQUARE;
		after.turn = !after.turn;
		after.key ^= position_state_key(&after);
		if (-search(e, &after, depth - 3, -beta, -beta + 1, ply + 1, 0) >= beta)
			return beta;
	}
	generate(p, &list, 0);
	score_moves(e, p, &list, hash_move, ply);
	for (int i = 0; i < list.size; i++) {
		uint32_t m = pick_move(&list, i);
		int score;

		if (!try_move(p, m, &after))
			continue;
		score = -search(e, &after, depth - 1, -beta, -alpha, ply + 1, 1);
		if (e->nodes >= e->node_limit)
			return 0;
		if (score > best) {
			best = score;
			best_move = m;
		}
		if (score > alpha)
			alpha = score;
		if (alpha >= beta) {
			remember_cutoff(e, p, m, depth, ply);
			break;
		}
	}
	/* The exact search counts mates without their distance, so that depth is all it needs. */
	if (best == -INFINITE)
		return !checked ? 0 : e->exact ? -MATE : -MATE + ply;
	slot->key = p->key;
	slot->move = best_move;
	slot->score = (int16_t)best;
	slot->depth = (int8_t)depth;
	slot->kind = (uint8_t)(best >= beta ? AT_LEAST : best > first_alpha ? EXACT : AT_MOST);
	if (ply == 0)
		e->best_move = best_move;
	return best;
}

static int minimax(struct engine *e, const struct position *p, int depth)
{
	struct move_list list;
	int best = -INFINITE;

	if (depth == 0)
		return evaluate(e, p);
	generate(p, &list, 0);
	for (int i = 0; i < list.size; i++) {
		struct position after;

		if (try_move(p, list.move[i], &after)) {
			int score = -minimax(e, &after, depth - 1);

			if (score > best)
				best = score;
		}
	}
	if (best == -INFINITE)
		return in_check(p, p->turn) ? -MATE : 0;
	return best;
}

static void position_mirror(const struct position *p, struct position *m)
{
	memset(m, 0, sizeof(*m));
	memset(m->on, NONE, sizeof(m->on));
	m->turn = !p->turn;
	m->castling = (p->castling >> 2) | (p->castling & 3) << 2;
	m->en_passant = p->en_passant == NO_SQUARE ? NO_SQUARE : p->en_passant ^ 56;
	for (int s = 0; s < 64; s++)
		if (p->on[s] != NONE)
			position_put(m, (p->side[BLACK] >> s & 1) ? WHITE : BLACK, p->on[s],
				     s ^ 56);
	m->key ^= position_state_key(m);
}

static void check_position(struct workload *w, struct engine *e, const struct position *p)
{
	struct position mirrored, twice;

	position_mirror(p, &mirrored);
	position_mirror(&mirrored, &twice);
	workload_check(w, twice.key == p->key && twice.pawn_key == p->pawn_key,
		       "keys kept move by move equal keys made anew");
	workload_check(w, evaluate(e, p) == evaluate(e, &mirrored),
		       "the evaluation does not depend on colour");
	workload_check(w, !in_check(p, !p->turn), "the side that moved is not in check");
}

static void play_opening(struct workload *w, struct position *p, int plies)
{
	for (int i = 0; i < plies; i++) {
		struct move_list list;
		struct position after;

		generate(p, &list, 0);
		for (int attempt = 0; attempt < 100 && list.size > 0; attempt++)
			if (try_move(p, list.move[workload_below(w, (uint32_t)list.size)],
				     &after)) {
				*p = after;
				break;
			}
	}
}

/* Deepens until the nodes for this move are spent; an iteration cut short does not count. */
static int think(struct engine *e, const struct position *p, int depth, uint64_t nodes)
{
	uint64_t limit = e->nodes + nodes;
	int score = 0;

	e->best_move = 0;
	memset(e->killer, 0, sizeof(e->killer));
	for (int d = 1; d <= depth && e->nodes < limit; d++) {
		int found;

		e->node_limit = d == 1 ? UINT64_MAX : limit;
		found = search(e, p, d, -INFINITE, INFINITE, 0, 0);
		if (e->nodes < e->node_limit)
			score = found;
	}
	e->node_limit = UINT64_MAX;
	return score;
}

static void play_game(struct workload *w, struct engine *e, struct position *p, int moves,
		      int depth, uint64_t nodes)
{
	for (int i = 0; i < moves; i++) {
		int score = think(e, p, depth, nodes);

		workload_digest(w, (uint64_t)(score + INFINITE) << 32 | e->best_move);
		if (!e->best_move)
			return;
		position_move(p, e->best_move);
		check_position(w, e, p);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		int perft_depth, games, moves, depth, nodes, exact_depth, slot_bits;
	} plan[] = {{1, 1, 1, 3, 120, 1, 10}, {2, 4, 2, 6, 500, 2, 16}, {3, 12, 4, 8, 1500, 3, 18}};
	static const uint64_t start_perft[] = {1, 20, 400, 8902},
			      busy_perft[] = {1, 48, 2039, 97862};
	static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
	static const char busy[] = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R";
	struct workload w = workload_begin("chess", argc, argv);
	struct engine *e = workload_alloc(sizeof(*e));
	int perft_depth = plan[w.size].perft_depth, exact_depth = plan[w.size].exact_depth;
	struct position p;

	init_tables(&w);
	e->slot_mask = BIT(plan[w.size].slot_bits) - 1;
	e->slot = workload_alloc((e->slot_mask + 1) * sizeof(*e->slot));
	position_parse(&p, start, 15);
	workload_check(&w, perft(&p, perft_depth) == start_perft[perft_depth],
		       "move sequences from the initial position");
	position_parse(&p, busy, 15);
	workload_check(&w, perft(&p, perft_depth) == busy_perft[perft_depth],
		       "move sequences from a position with every kind of move");
	for (int game = 0; game < plan[w.size].games; game++) {
		position_parse(&p, start, 15);
		play_opening(&w, &p, 8 + (int)workload_below(&w, 12));
		play_game(&w, e, &p, plan[w.size].moves, plan[w.size].depth,
			  (uint64_t)plan[w.size].nodes);
	}
	workload_digest(&w, e->nodes);
	workload_digest(&w, p.key);
	e->exact = 1;
	memset(e->slot, 0, (e->slot_mask + 1) * sizeof(*e->slot));
	workload_check(&w,
		       search(e, &p, exact_depth, -INFINITE, INFINITE, 0, 0) ==
			       minimax(e, &p, exact_depth),
		       "alpha-beta finds the minimax value");
	free(e->slot);
	free(e);
	return workload_end(&w);
}
